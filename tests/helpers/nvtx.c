// What a C program does with NVTX, on the helper header.
#include "sigtrans_nvtx.h"
#include <stdio.h>
int main(void) {
  sigtrans_nvtxEventAttributes_t event = {0};
  event.version = sigtrans_NVTX_VERSION;
  event.size = sigtrans_NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.colorType = sigtrans_NVTX_COLOR_ARGB;
  event.messageType = sigtrans_NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "step";
  event.payload.llValue = 1;
  sigtrans_nvtxDomainHandle_t domain = sigtrans_nvtxDomainCreate("d");
  sigtrans_nvtxNameCudaStream(&event, "stream");
  sigtrans_nvtxRangeId_t id = sigtrans_nvtxRangeStart("r");
  sigtrans_nvtxRangeEnd(id);
  printf("%d %d %d", sigtrans_nvtxRangePushEx(&event), sigtrans_nvtxRangePop(), domain != 0);
  return 0;
}
