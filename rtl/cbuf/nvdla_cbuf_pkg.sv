// Shape of the convolution buffer in the configuration.
//
// An entry is EntryBytes = AtomicC lanes of LaneBytes = Slots memory atoms, atom 0 in the low bits. Entries count 0 ..
// CbufEntries-1 over all banks.
// Spec: 30-cdma-cbuf, section 4.1.
package nvdla_cbuf_pkg;
  import nvdla_pkg::*;

  localparam int CbufEntries = CbufBanks * BankEntries;
  localparam int CbufAddrBits = $clog2(CbufEntries);
  localparam int EntryBits = EntryBytes * 8;
  localparam int Slots = EntryBytes / MemAtom;
  localparam int SlotBits = (Slots > 1) ? $clog2(Slots) : 1;
endpackage
