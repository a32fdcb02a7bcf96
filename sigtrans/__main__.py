"""`python -m sigtrans`."""

from sigtrans.cli import main

raise SystemExit(main())
