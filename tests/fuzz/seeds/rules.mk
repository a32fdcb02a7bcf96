define compile
nvcc -x cu -M $(1) -o $(2) --maxrregcount=64 -use_fast_math
endef
cu_objs = $(patsubst %.cu,%.o,$(filter %.cu,$(SOURCES)))
ifdef CUDA_HOME
CPPFLAGS += -I$(CUDA_HOME)/include -DUSE_CUDA=1
LDFLAGS  += -Wl,-rpath,$(CUDA_HOME)/lib64 -lcufft -lcurand -lnvToolsExt
endif
