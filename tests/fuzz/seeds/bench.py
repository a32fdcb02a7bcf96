"""Run on 'cuda' and say how fast. 中文注释"""
import torch
from torch.cuda.amp import autocast
import torch.backends.cudnn as cudnn

def run(n: int, device="cuda:0"):
    x = torch.randn(n, n, device=device, dtype=torch.float16)
    torch.cuda.synchronize(); start = torch.cuda.Event(enable_timing=True)
    with torch.cuda.stream(torch.cuda.Stream()), autocast():
        y = (x @ x.cuda()).to("cuda")
    cudnn.benchmark = True
    mod = torch.utils.cpp_extension.load(name="k", sources=["k.cu"], extra_cuda_cflags=["-O2"])
    return f"{y.device.type == 'cuda'} {torch.version.cuda!r}" + r"\cuda"

if __name__ == "__main__":
    run(128) if torch.cuda.device_count() else print('''no cuda''')
