#!/usr/bin/env bash
set -euo pipefail
export CUDA_HOME=${CUDA_HOME:-/usr/local/cuda} PATH=/usr/local/cuda/bin:$PATH
for sm in 70 80; do
  nvcc -O3 -arch=sm_${sm} -Xcompiler "-Wall -O2" -o app_$sm reduce.cu tensor.cu -lcublas
done
CUDA_VISIBLE_DEVICES=0,1 cuda-memcheck ./app_80 && nvidia-smi | grep 'cuda'
cat <<'EOF' > gen.cu
__global__ void k() {}
EOF
