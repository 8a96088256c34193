// Shape of the convolution buffer in the configuration.
//
// An entry is AtomicC bytes = Slots memory atoms, atom 0 in the low bits. Entries count 0 .. CbufEntries-1 over all banks.
// Spec: 30-cdma-cbuf, section 4.1.
package nvdla_cbuf_pkg;
  import nvdla_pkg::*;

  localparam int CbufEntries = CbufBanks * CbufBankDepth;
  localparam int CbufAddrBits = $clog2(CbufEntries);
  localparam int EntryBits = CbufBankBytes * 8;
  localparam int Slots = CbufBankBytes / MemAtom;
  localparam int SlotBits = (Slots > 1) ? $clog2(Slots) : 1;
endpackage
