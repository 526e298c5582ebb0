// SPDX-License-Identifier: Apache-2.0
// libpcap's live handles. Packets of a ring buffer go to the callback where they lie.
// Tested by tests/e2e/filter_live.sh
#include "capture/live.h"

#include <array>
#include <string_view>

#include "capture/pcap_handle.h"

namespace skep::capture {

namespace {

constexpr std::string_view kAllInterfaces = "any";
constexpr int kBufferTimeoutMs = 1000;  // as tcpdump: what fewer packets than a buffer wait

Error failure(pcap_t* handle, int result, const std::string& interface) {
  const std::string detail = pcap_geterr(handle);
  std::string text = interface + ": " + pcap_statustostr(result);
  if (result == PCAP_ERROR)
    text = interface + ": " + detail;
  else if (!detail.empty() && detail != pcap_statustostr(result))
    text += " (" + detail + ")";
  const bool missing = result == PCAP_ERROR_NO_SUCH_DEVICE;
  const bool refused = result == PCAP_ERROR_PERM_DENIED || result == PCAP_ERROR_PROMISC_PERM_DENIED;
  return Error{missing ? Code::NotFound : refused ? Code::Rejected : Code::Io, text};
}

// The file number of a handle's link type, as libpcap writes it into a file header.
Result<u32> file_linktype(pcap_t* handle) {
  std::array<char, 4096> bytes = {};
  std::FILE* file = fmemopen(bytes.data(), bytes.size(), "wb");
  if (file == nullptr) return Error{Code::OutOfMemory, "no memory for a file header"};
  pcap_dumper_t* dumper = pcap_dump_fopen(handle, file);
  if (dumper == nullptr) {
    std::fclose(file);
    return Error{Code::Unsupported, pcap_geterr(handle)};
  }
  pcap_dump_close(dumper);
  return load_host<u32>(bytes.data() + 20);
}

Result<PcapHandle> activate(const std::string& interface, const LiveOptions& options) {
  char text[PCAP_ERRBUF_SIZE] = {};
  PcapHandle handle(pcap_create(interface.c_str(), text));
  if (handle == nullptr) return Error{Code::Io, interface + ": " + text};
  pcap_set_snaplen(handle.get(), static_cast<int>(options.snaplen));
  pcap_set_promisc(handle.get(), options.promiscuous ? 1 : 0);
  pcap_set_timeout(handle.get(), kBufferTimeoutMs);
  if (options.precision == Precision::Nano &&
      pcap_set_tstamp_precision(handle.get(), PCAP_TSTAMP_PRECISION_NANO) != 0) {
    return Error{Code::Unsupported, interface + ": nanosecond time stamps are not supported"};
  }
  const int result = pcap_activate(handle.get());
  if (result < 0) return failure(handle.get(), result, interface);
  if (options.linktype) {
    const int number = pcap_datalink_name_to_val(options.linktype->c_str());
    if (number < 0) return Error{Code::NotFound, "invalid data link type " + *options.linktype};
    if (pcap_set_datalink(handle.get(), number) != 0) {
      return Error{Code::Unsupported, interface + ": " + pcap_geterr(handle.get())};
    }
  } else if (interface == kAllInterfaces) {
    // As tcpdump: with the interface's number in every packet, where libpcap has that.
    pcap_set_datalink(handle.get(), DLT_LINUX_SLL2);
  }
  return handle;
}

class PcapLive : public LiveCapture {
 public:
  PcapLive(PcapHandle handle, u32 linktype, Precision precision)
      : handle_(std::move(handle)), precision_(precision) {
    section_.number = 1;
    section_.interfaces.push_back({.linktype = linktype,
                                   .snaplen = static_cast<u32>(pcap_snapshot(handle_.get())),
                                   .precision = precision,
                                   .raw_block = {}});
  }

  Result<bool> dispatch(OnPacket on_packet, void* user) override {
    on_packet_ = on_packet;
    user_ = user;
    const int result =
        pcap_dispatch(handle_.get(), -1, &PcapLive::on_record, reinterpret_cast<u_char*>(this));
    if (result == PCAP_ERROR_BREAK) return false;
    if (result < 0) return Error{Code::Io, pcap_geterr(handle_.get())};
    return true;
  }
  void stop() override { pcap_breakloop(handle_.get()); }
  const Section& section() const override { return section_; }
  Result<LiveStatistics> statistics() override {
    pcap_stat numbers = {};
    if (pcap_stats(handle_.get(), &numbers) != 0)
      return Error{Code::Io, pcap_geterr(handle_.get())};
    return LiveStatistics{.received = numbers.ps_recv,
                          .dropped = numbers.ps_drop,
                          .interface_dropped = numbers.ps_ifdrop};
  }

 private:
  static void on_record(u_char* self, const pcap_pkthdr* header, const u_char* data) {
    auto* live = reinterpret_cast<PcapLive*>(self);
    const s64 scale = live->precision_ == Precision::Nano ? 1 : 1000;
    const Packet packet = {.seconds = header->ts.tv_sec,
                           .nanoseconds = header->ts.tv_usec * scale,
                           .data = data,
                           .raw = nullptr,
                           .raw_size = 0,
                           .caplen = header->caplen,
                           .len = header->len,
                           .interface = 0};
    live->on_packet_(live->user_, packet);
  }

  PcapHandle handle_;
  Precision precision_;
  Section section_;
  OnPacket on_packet_ = nullptr;
  void* user_ = nullptr;
};

struct InterfaceList {
  pcap_if_t* first = nullptr;
  ~InterfaceList() {
    if (first != nullptr) pcap_freealldevs(first);
  }
};

Status find_interfaces(InterfaceList& list) {
  char text[PCAP_ERRBUF_SIZE] = {};
  if (pcap_findalldevs(&list.first, text) != 0) return Error{Code::Io, text};
  return {};
}

std::string interface_flags(u32 flags) {
  std::string text;
  const auto add = [&text](const char* word) {
    text += (text.empty() ? "" : ", ") + std::string(word);
  };
  if ((flags & PCAP_IF_UP) != 0) add("Up");
  if ((flags & PCAP_IF_RUNNING) != 0) add("Running");
  if ((flags & PCAP_IF_LOOPBACK) != 0) add("Loopback");
  const bool wireless = (flags & PCAP_IF_WIRELESS) != 0;
  if (wireless) add("Wireless");
  switch (flags & PCAP_IF_CONNECTION_STATUS) {
    case PCAP_IF_CONNECTION_STATUS_CONNECTED: add(wireless ? "Associated" : "Connected"); break;
    case PCAP_IF_CONNECTION_STATUS_DISCONNECTED:
      add(wireless ? "Not associated" : "Disconnected");
      break;
    default: break;
  }
  return text.empty() ? "none" : text;
}

}  // namespace

Result<std::unique_ptr<LiveCapture>> LiveCapture::open(const std::string& interface,
                                                       const LiveOptions& options) {
  SKEP_TRY(PcapHandle handle, activate(interface, options));
  SKEP_TRY(const u32 linktype, file_linktype(handle.get()));
  return std::unique_ptr<LiveCapture>(
      std::make_unique<PcapLive>(std::move(handle), linktype, options.precision));
}

Result<std::string> list_interfaces() {
  InterfaceList list;
  SKEP_TRY_DO(find_interfaces(list));
  std::string text;
  u32 number = 0;
  for (const pcap_if_t* at = list.first; at != nullptr; at = at->next) {
    text += std::to_string(++number) + "." + at->name;
    if (at->description != nullptr) text += std::string(" (") + at->description + ")";
    text += " [" + interface_flags(at->flags) + "]\n";
  }
  return text;
}

Result<std::string> interface_by_number(u32 number) {
  InterfaceList list;
  SKEP_TRY_DO(find_interfaces(list));
  u32 count = 0;
  for (const pcap_if_t* at = list.first; at != nullptr; at = at->next) {
    if (++count == number) return std::string(at->name);
  }
  return Error{Code::NotFound, "there is no interface number " + std::to_string(number)};
}

Result<std::string> list_linktypes(const std::string& interface) {
  SKEP_TRY(PcapHandle handle, activate(interface, {}));
  int* numbers = nullptr;
  const int count = pcap_list_datalinks(handle.get(), &numbers);
  if (count < 0) return failure(handle.get(), count, interface);
  std::string text = "Data link types for " + interface + " (use option -y to set):\n";
  for (int i = 0; i < count; ++i) {
    const char* name = pcap_datalink_val_to_name(numbers[i]);
    if (name == nullptr) continue;
    text += std::string("  ") + name + " (" + pcap_datalink_val_to_description(numbers[i]) + ")\n";
  }
  pcap_free_datalinks(numbers);
  return text;
}

}  // namespace skep::capture
