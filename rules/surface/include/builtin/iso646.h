/* Every name of this header is a keyword of C++. */
