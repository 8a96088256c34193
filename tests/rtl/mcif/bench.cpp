// DMA clients and memory interfaces against AXI memories with random stalls; the register group block; GLB. Top:
// mcif_bench.sv.
//
// Every clock the bench checks the AXI rules of chapter 70: payload stable until accepted, AW and its first W beat
// offered together, W in AW order and without pause inside a burst, bursts inside aligned lines, aligned araddr, the
// outstanding limit. Data are a function of port, address and word.
#include <deque>
#include <map>

#include "common/design.h"

const uint64_t usual_seeds = 20;

namespace {

const int read_id[4] = {1, 5, 6, 2}, write_id[2] = {1, 2};
const int read_depth[4] = {64, 8, 64, 64};

uint32_t hash(int port, uint64_t address, unsigned word) {
    uint64_t x = address * 0x9e3779b97f4a7c15u + (uint64_t)port * 0x1234567u + word * 0x51ed270bu;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x >> 31);
}

struct Behaviour {
    int ar = 100, aw = 100, w = 100, r = 100, b = 100; // per cent of the clocks in which a channel moves
    unsigned latency = 32, jitter = 0;                 // clocks from AR to the first R
    unsigned b_latency = 4;
    bool shuffle = false; // answers of different ids in any order
    int engine = 100;     // per cent of the clocks in which the engine side offers or takes
};

struct Burst {
    int id;
    uint64_t address;
    unsigned beats, done;
    uint64_t due;
    unsigned atoms; // of a write: that its strobes have covered
};

// AR or AW: a burst that is offered stays as it is until it is accepted, and no more beats are under way than allowed.
struct AddressChannel {
    const char *name;
    unsigned limit = 255, flight = 0, peak = 0; // beats
    bool fresh = true;                          // nothing waits to be accepted
    bool offered = false, accepted = false;     // in this clock: offered for the first time, accepted
    Burst last = {};

    void sample(bool valid, bool ready, const Burst &now) {
        if (!fresh && (!valid || now.address != last.address || now.id != last.id || now.beats != last.beats))
            checks.fail("%s changed before it was accepted", name);
        offered = valid && fresh;
        accepted = valid && ready;
        fresh = !valid || ready;
        last = now;
        if (offered) {
            flight += now.beats;
            peak = std::max(peak, flight);
            if (flight > limit + 1)
                checks.fail("%s: outstanding limit exceeded", name);
        }
    }
};

struct Port { // one AXI memory
    AddressChannel ar = {"AR"}, aw = {"AW"};
    std::deque<Burst> reads;                // accepted, by arrival
    std::deque<Burst> offered;              // writes offered on AW, waiting for their data
    std::deque<Burst> responses;            // written, B to come
    size_t aw_accepted = 0, w_finished = 0; // bursts
    uint64_t aw_offers = 0, w_offers = 0;   // bursts seen for the first time on AW / on W
    bool w_new = true, w_first = true;
    std::vector<uint32_t> w_last;
    int r_index = -1, b_index = -1; // burst that is answered in this clock
    std::vector<int> ar_ids;        // of all accepted AR, in order
};

struct Request {
    uint64_t address;
    unsigned atoms;
    int ram; // 1 primary
    bool ack;
};

class Bench : public Agent {
  public:
    explicit Bench(uint64_t seed) : random_(seed) {
        design.clock();
        atom_ = top.atom_bytes_o;
        beat_ = atom_ * top.beat_atoms_o;
        burst_[0] = top.burst_o;
        burst_[1] = top.sram_burst_o;
        design.add(*this);
    }
    Behaviour behaviour;
    Design design;
    Vbench &top = design.top;
    Port port[2];
    uint64_t taken[4] = {}; // atoms read, of each client

    unsigned atom() const {
        return atom_;
    }
    bool secondary() const {
        return burst_[1] != 0;
    }

    void read(int client, const Request &r) {
        read_queue_[client].push_back(r);
        for (unsigned i = 0; i < r.atoms; i++)
            read_expected_[client].push_back(
                {r.address / atom_ * atom_ + (uint64_t)i * atom_, r.atoms - i, r.ram, false});
    }
    void write(int client, const Request &r) {
        write_queue_[client].push_back(r);
        write_total_[client] += r.atoms;
        for (unsigned i = 0; i < r.atoms; i++) {
            const uint64_t a = r.address + (uint64_t)i * atom_;
            data_queue_[client].push_back({a, r.atoms - i, r.ram, false});
            written_expected_[{r.ram ? 0 : 1, a}] = true;
        }
        if (r.ack)
            ack_at_[client].push_back(write_total_[client]);
    }
    bool idle() const {
        for (int i = 0; i < 4; i++)
            if (!read_expected_[i].empty())
                return false;
        for (int i = 0; i < 2; i++)
            if (!data_queue_[i].empty() || !ack_at_[i].empty() || write_done_[i] != write_total_[i])
                return false;
        return true;
    }
    // Steps until everything asked for has happened; false after `limit` clocks without that.
    bool finish(unsigned limit) {
        for (unsigned i = 0; i < limit && !idle(); i++)
            design.clock();
        if (!idle())
            checks.fail("does not finish");
        for (const Port &p : port)
            if (p.ar.flight || p.aw.flight)
                checks.fail("beats left in flight");
        if (written_ != written_expected_)
            checks.fail("the atoms written are not those commanded");
        return idle();
    }
    // One access of the registers behind a request pin; the answer of a read.
    uint32_t access(CData &request, bool write, unsigned word, uint32_t data) {
        request = 1;
        top.write_i = write;
        top.addr_i = (uint16_t)word;
        top.wdata_i = data;
        design.clock();
        request = 0;
        top.write_i = 0;
        return top.rdata_o;
    }
    void limits(unsigned count) {
        access(top.mcif_req_i, true, 5, count << 8 | count);
        access(top.cvif_req_i, true, 5, count << 8 | count);
        for (Port &p : port)
            p.ar.limit = p.aw.limit = count;
    }

  private:
    unsigned words() const { // of an atom
        return atom_ / 4;
    }
    unsigned beat_words() const {
        return beat_ / 4;
    }
    uint32_t beat_word(int p, uint64_t beat, unsigned word) const {
        return hash(p, beat + word / words() * atom_, word % words());
    }
    // Atoms that an engine moves at once.
    unsigned read_atoms(int client) const {
        return client == 2 ? beat_ / atom_ : 1;
    }
    unsigned write_atoms(int client) const {
        return client == 1 ? beat_ / atom_ : 1;
    }
    // The next word of a client: as many of its atoms as belong to the request of the first.
    static size_t word_atoms(const std::deque<Request> &atoms, unsigned most) {
        size_t n = 1;
        while (n < most && n < atoms.size() && atoms[n - 1].atoms > 1)
            n++;
        return n;
    }

    // Offers a client's next request if the one before was accepted; null if it does not.
    template <class Addr, class Size>
    const Request *offer(int i, const std::deque<Request> &queue, CData &valid, Addr &addr, Size &size, CData &ram) {
        if (valid >> i & 1 || queue.empty() || !random_.percent(behaviour.engine))
            return nullptr;
        const Request &r = queue.front();
        const size_t at = (size_t)i;
        Pin(valid, at, 1).set(1);
        Pin(addr, 64 * at, 64).set(r.address);
        Pin(size, 16 * at, 16).set(r.atoms - 1);
        Pin(ram, at, 1).set((uint64_t)r.ram);
        return &r;
    }

    // Inputs of this clock. What is offered stays until accepted.
    void drive() override {
        top.rq_valid_i &= (CData)~rq_accepted_;
        top.wc_valid_i &= (CData)~wc_accepted_;
        top.wd_valid_i &= (CData)~wd_accepted_;
        for (int i = 0; i < 4; i++) {
            Pin(top.rs_ready_i, (size_t)i, 1).set(random_.percent(behaviour.engine));
            offer(i, read_queue_[i], top.rq_valid_i, top.rq_addr_i, top.rq_size_i, top.rq_ram_i);
        }
        for (int i = 0; i < 2; i++) {
            if (const Request *r =
                    offer(i, write_queue_[i], top.wc_valid_i, top.wc_addr_i, top.wc_size_i, top.wc_ram_i))
                Pin(top.wc_ack_i, (size_t)i, 1).set(r->ack);
            if (!(top.wd_valid_i >> i & 1) && !data_queue_[i].empty() && random_.percent(behaviour.engine)) {
                top.wd_valid_i |= (CData)(1u << i);
                const size_t atoms = word_atoms(data_queue_[i], write_atoms(i));
                for (unsigned w = 0; w < atoms * words(); w++) {
                    const Request &r = data_queue_[i][w / words()];
                    top.wd_data_i[(unsigned)i * beat_words() + w] = hash(r.ram ? 0 : 1, r.address, w % words());
                }
            }
        }
        for (size_t p = 0; p < 2; p++) {
            Pin(top.arready_i, p, 1).set(random_.percent(behaviour.ar));
            Pin(top.awready_i, p, 1).set(random_.percent(behaviour.aw));
            Pin(top.wready_i, p, 1).set(random_.percent(behaviour.w));
            drive_answers(p);
        }
    }

    // A burst whose answer may come now: the oldest of its id, due; the first one, or any if shuffled. -1 if none.
    int choose(const std::deque<Burst> &queue) {
        std::vector<size_t> candidates;
        uint32_t seen = 0;
        for (size_t i = 0; i < queue.size(); i++) {
            const uint32_t bit = 1u << (queue[i].id & 15);
            if (!(seen & bit) && queue[i].due <= design.now)
                candidates.push_back(i);
            seen |= bit;
            if (!behaviour.shuffle)
                break;
        }
        return candidates.empty() ? -1 : (int)candidates[random_.below((uint32_t)candidates.size())];
    }
    void drive_answers(size_t p) {
        Port &m = port[p];
        m.r_index = random_.percent(behaviour.r) ? choose(m.reads) : -1;
        Pin(top.rvalid_i, p, 1).set(m.r_index >= 0);
        if (m.r_index >= 0) {
            const Burst &b = m.reads[(size_t)m.r_index];
            for (unsigned w = 0; w < beat_words(); w++)
                top.rdata_i[p * beat_words() + w] = beat_word((int)p, b.address + b.done * beat_, w);
            Pin(top.rid_i, 8 * p, 8).set((uint64_t)b.id);
        }
        m.b_index = random_.percent(behaviour.b) ? choose(m.responses) : -1;
        Pin(top.bvalid_i, p, 1).set(m.b_index >= 0);
        if (m.b_index >= 0)
            Pin(top.bid_i, 8 * p, 8).set((uint64_t)m.responses[(size_t)m.b_index].id);
    }

    void sample() override {
        rq_accepted_ = top.rq_valid_i & top.rq_ready_o;
        wc_accepted_ = top.wc_valid_i & top.wc_ready_o;
        wd_accepted_ = top.wd_valid_i & top.wd_ready_o;
        for (int i = 0; i < 2; i++)
            if (top.ack_o >> i & 1) {
                if (ack_at_[i].empty())
                    checks.fail("acknowledge without command");
                else if (write_done_[i] < ack_at_[i].front())
                    checks.fail("acknowledge before the last response");
                if (!ack_at_[i].empty())
                    ack_at_[i].pop_front();
            }
        for (int p = 0; p < 2; p++)
            sample_port(p);
        for (int i = 0; i < 4; i++) {
            if (rq_accepted_ >> i & 1)
                read_queue_[i].pop_front();
            if ((top.rs_valid_o & top.rs_ready_i) >> i & 1) {
                if (read_expected_[i].empty()) {
                    checks.fail("more read data than asked for");
                    continue;
                }
                for (size_t atoms = word_atoms(read_expected_[i], read_atoms(i)), k = 0; k < atoms; k++) {
                    const Request &r = read_expected_[i].front();
                    for (unsigned w = 0; w < words(); w++)
                        checks.equal("read data", top.rs_data_o[(unsigned)i * beat_words() + (unsigned)k * words() + w],
                                     hash(r.ram ? 0 : 1, r.address, w));
                    read_expected_[i].pop_front();
                    taken[i]++;
                }
            }
        }
        for (int i = 0; i < 2; i++) {
            if (wc_accepted_ >> i & 1)
                write_queue_[i].pop_front();
            if (wd_accepted_ >> i & 1)
                for (size_t atoms = word_atoms(data_queue_[i], write_atoms(i)); atoms > 0; atoms--)
                    data_queue_[i].pop_front();
        }
    }

    void check_burst(int p, const char *what, uint64_t address, unsigned beats) {
        const uint64_t line = (uint64_t)burst_[p] * beat_, first = address / beat_ * beat_;
        if (beats > burst_[p] || first / line != (first + (beats - 1) * (uint64_t)beat_) / line)
            checks.fail("%s burst leaves its line", what);
    }

    // The burst on AR or AW.
    template <class Addr> static Burst burst(int p, unsigned ids, unsigned lens, Addr &addr) {
        return {(int)(ids >> 8 * p & 0xff), Pin(addr, 64 * (size_t)p, 64).value(), (lens >> 4 * p & 15) + 1, 0, 0, 0};
    }

    void sample_port(int p) {
        Port &m = port[p];
        // Read.
        Burst ar = burst(p, top.arid_o, top.arlen_o, top.araddr_o);
        m.ar.sample(top.arvalid_o >> p & 1, top.arready_i >> p & 1, ar);
        if (m.ar.offered) {
            if (ar.address % beat_)
                checks.fail("araddr is not aligned");
            check_burst(p, "read", ar.address, ar.beats);
            for (const Burst &b : port[1 - p].reads)
                if (b.id == ar.id)
                    checks.fail("one client reads both memories at once");
        }
        if (m.ar.accepted) {
            ar.due = design.now + behaviour.latency + (behaviour.jitter ? random_.below(behaviour.jitter) : 0);
            m.reads.push_back(ar);
            m.ar_ids.push_back(ar.id);
        }
        if (m.r_index >= 0) {
            Burst &b = m.reads[(size_t)m.r_index];
            m.ar.flight--;
            if (++b.done == b.beats)
                m.reads.erase(m.reads.begin() + m.r_index);
        }
        // Write.
        const Burst aw = burst(p, top.awid_o, top.awlen_o, top.awaddr_o);
        const bool w = top.wvalid_o >> p & 1;
        std::vector<uint32_t> data;
        for (unsigned i = 0; i < beat_words(); i++)
            data.push_back(top.wdata_o[(unsigned)p * beat_words() + i]);
        const unsigned beat_atoms = beat_ / atom_;
        const uint32_t mask = top.wmask_o >> (unsigned)p * beat_atoms & ((1u << beat_atoms) - 1);
        data.push_back(mask);
        data.push_back(top.wlast_o >> p & 1);
        if (!m.w_new && (!w || data != m.w_last))
            checks.fail("W changed before it was accepted");
        m.aw.sample(top.awvalid_o >> p & 1, top.awready_i >> p & 1, aw);
        if (m.aw.offered) {
            m.aw_offers++;
            check_burst(p, "write", aw.address, aw.beats);
            if (aw.address % (burst_[p] < top.piece_o ? beat_ : atom_) && beat_ != atom_)
                checks.fail("awaddr is not aligned");
            m.offered.push_back(aw);
        }
        if (w && m.w_new && m.w_first)
            m.w_offers++;
        if (!w && !m.w_first)
            checks.fail("a started write burst pauses");
        if (m.aw_offers != m.w_offers)
            checks.fail("AW and its first W beat are not offered together");
        m.aw_accepted += m.aw.accepted;
        m.w_last = data;
        m.w_new = !w || (top.wready_i >> p & 1);
        m.w_first &= !w;
        if (w && m.w_new && m.w_finished < m.aw_offers) {
            Burst &b = m.offered[m.w_finished - retired_[p]];
            // Without strobes within it a beat is where awaddr says, misaligned as it may be.
            const uint64_t beat = (beat_ == atom_ ? b.address : b.address / beat_ * beat_) + (uint64_t)b.done * beat_;
            if (!mask)
                checks.fail("a beat without strobes");
            for (unsigned k = 0; k < beat_atoms; k++) {
                if (!(mask >> k & 1))
                    continue;
                for (unsigned i = 0; i < words(); i++)
                    checks.equal("write data", data[k * words() + i], beat_word(p, beat, k * words() + i));
                written_[{p, beat + k * atom_}] = true;
                b.atoms++;
            }
            if (b.done == 0 && beat + atom_ * (unsigned)__builtin_ctz(mask | 1u << 31) < b.address)
                checks.fail("a strobe below awaddr");
            b.done++;
            checks.equal("wlast", data.back(), b.done == b.beats);
            if (b.done == b.beats) {
                m.w_finished++;
                m.w_first = true;
            }
        }
        if (m.b_index >= 0) {
            const Burst b = m.responses[(size_t)m.b_index];
            m.responses.erase(m.responses.begin() + m.b_index);
            m.aw.flight -= b.beats;
            for (int i = 0; i < 2; i++)
                if (b.id == write_id[i])
                    write_done_[i] += b.atoms;
        }
        while (!m.offered.empty() && retired_[p] < m.aw_accepted && retired_[p] < m.w_finished) {
            m.responses.push_back(m.offered.front());
            m.responses.back().due = design.now + behaviour.b_latency;
            m.offered.pop_front();
            retired_[p]++;
        }
    }

    Random random_;
    uint32_t rq_accepted_ = 0, wc_accepted_ = 0, wd_accepted_ = 0; // in the last clock, of each client
    unsigned atom_ = 0, beat_ = 0, burst_[2] = {};
    size_t retired_[2] = {};
    std::deque<Request> read_queue_[4], read_expected_[4], write_queue_[2], data_queue_[2];
    std::deque<uint64_t> ack_at_[2];
    uint64_t write_total_[2] = {}, write_done_[2] = {};
    std::map<std::pair<int, uint64_t>, bool> written_, written_expected_;
};

// Random traffic of all clients, to both memories if there are two.
void traffic(Bench &bench, Random &random, int requests) {
    for (int i = 0; i < requests; i++) {
        const int client = (int)random.below(6);
        const int ram = bench.secondary() && random.percent(30) ? 0 : 1;
        const unsigned atoms = 1 + (random.percent(70) ? random.below(4u) : random.below(60u));
        if (client < 4) {
            const uint64_t address =
                (uint64_t)random.below(1 << 12) * bench.atom() + (random.percent(10) ? random.below(bench.atom()) : 0);
            bench.read(client, {address, atoms, ram, false});
        } else { // every atom of the memory is written once
            static uint64_t next;
            next += 1 + random.below(9u);
            bench.write(client - 4, {0x100000 + next * bench.atom(), atoms, ram, random.percent(40)});
            next += atoms;
        }
    }
}

void stalls() {
    const struct {
        const char *name;
        Behaviour b;
    } cases[] = {
        {"no stalls", {}},
        {"random stalls everywhere", {50, 50, 50, 50, 50, 5, 20, 4, false, 60}},
        {"random stalls, answers of different ids in any order", {60, 60, 60, 70, 50, 1, 60, 1, true, 90}},
        {"awready rare", {100, 5, 100, 100, 100, 3, 0, 1, false, 100}},
        {"wready rare", {100, 100, 5, 100, 100, 3, 0, 1, false, 100}},
        {"arready rare, slow answers", {5, 100, 100, 30, 100, 200, 50, 100, true, 100}},
        {"very late responses", {100, 100, 100, 100, 100, 600, 0, 600, false, 100}},
        {"slow engines", {100, 100, 100, 100, 100, 2, 0, 1, false, 15}},
    };
    uint64_t seed = 100;
    for (const auto &c : cases) {
        checks.start(std::string("random traffic: ") + c.name);
        Bench bench(seed);
        Random random(seed++);
        bench.behaviour = c.b;
        traffic(bench, random, 600);
        bench.finish(400000);
    }
}

void limits() {
    for (unsigned cnt : {0u, 1u, 2u, 3u, 7u, 15u}) {
        const unsigned longest = 4;
        Bench bench(cnt + 1);
        const bool bursts = bench.top.burst_o > 1;
        if ((bursts || bench.top.sram_burst_o > 1) && cnt + 1 < longest)
            continue;
        checks.start("outstanding count " + std::to_string(cnt) + " allows " + std::to_string(cnt + 1) +
                     " beats in flight");
        Random random(cnt);
        bench.limits(cnt);
        traffic(bench, random, 200);
        // Enough of both at once for the peak.
        bench.read(0, {0x8000, 64, 1, false});
        bench.read(3, {0xc000, 64, 1, false});
        bench.write(0, {0x40000, 64, 1, true});
        bench.write(1, {0x60000, 64, 1, true});
        bench.finish(400000);
        const unsigned whole = bursts ? (cnt + 1) / longest * longest : cnt + 1;
        if (bench.port[0].ar.peak < whole)
            checks.equal("read beats in flight", bench.port[0].ar.peak, whole);
        if (bench.port[0].aw.peak < (whole > 4 ? 4 : whole))
            checks.equal("write beats in flight", bench.port[0].aw.peak, whole);
    }
}

void credits() {
    checks.start("a client has at most its buffer's depth in flight");
    for (int client = 0; client < 4; client++) {
        Bench bench(7);
        bench.behaviour.latency = 300;
        bench.read(client, {0x1000, 400, 1, false});
        bench.finish(40000);
        checks.equal("beats in flight", bench.port[0].ar.peak, (uint64_t)read_depth[client]);
    }
    checks.start("a client that does not drain blocks no other");
    Bench bench(8);
    bench.top.rs_ready_i = 0;
    bench.behaviour.engine = 1; // reads are requested, hardly drained
    for (int client = 0; client < 4; client++)
        bench.read(client, {0x1000, 50, 1, false});
    bench.finish(40000);
}

void weights() {
    checks.start("weights 3 and 1: three pieces of SDP, then one of PDP");
    Bench bench(3);
    bench.behaviour.latency = 4;
    bench.access(bench.top.mcif_req_i, true, 0, 0x01010301); // bytes upwards: BDMA, SDP, PDP, CDP
    bench.read(0, {0x1000, 900, 1, false});
    bench.read(3, {0x9000, 300, 1, false});
    bench.finish(4000);
    const std::vector<int> &ids = bench.port[0].ar_ids;
    // With longer pieces only until the buffers are full: then the answers set the pace, not the arbiter.
    const size_t bursts = bench.top.piece_o / bench.top.burst_o, count = bench.top.piece_o > 1 ? 20 : 1000;
    for (size_t i = 0; i < count * bursts && i < ids.size(); i++)
        checks.equal("id on AR", (uint64_t)ids[i], (uint64_t)read_id[i / bursts % 4 == 3 ? 3 : 0]);
    checks.start("weight 0 takes a client out until it is changed");
    Bench none(4);
    none.access(none.top.mcif_req_i, true, 0, 0x01010001);
    none.access(none.top.mcif_req_i, true, 3, 0x01000101);
    none.read(0, {0x1000, 5, 1, false});
    none.write(1, {0x1000, 5, 1, true});
    none.read(3, {0x1000, 5, 1, false});
    none.design.clocks(200);
    for (int id : none.port[0].ar_ids)
        checks.equal("id on AR", (uint64_t)id, (uint64_t)read_id[3]);
    checks.equal("AW offered", none.port[0].aw_offers, 0);
    none.access(none.top.mcif_req_i, true, 0, 0x01010101);
    none.access(none.top.mcif_req_i, true, 3, 0x01010101);
    none.finish(1000);
}

void speed() {
    checks.start("latency and rate");
    Bench bench(5);
    bench.read(0, {0x1000, 1, 1, false});
    const uint64_t &now = bench.design.now;
    uint64_t start = now;
    while (bench.port[0].ar_ids.empty() && now < start + 20)
        bench.design.clock();
    checks.equal("clocks from request to AR", now - 1 - start, 2);
    start = now - 1;
    while (!bench.taken[0] && now < start + 50)
        bench.design.clock();
    checks.equal("clocks from AR to data at the engine, memory of 32", now - 1 - start, 33);
    // What has been asked for takes at most so many clocks.
    const auto takes = [&](const char *what, uint64_t limit) {
        start = now;
        bench.finish(2000);
        if (now - start > limit)
            checks.equal(what, now - start, limit);
    };
    for (int i = 0; i < 1000; i++)
        bench.read(0, {0x1000 + (uint64_t)i * 3 * bench.atom(), 1, 1, false});
    takes("clocks for 1000 requests of one atom", 1000 + 40);
    bench.write(0, {0x20000, 1000, 1, true});
    takes("clocks for a write of 1000 atoms", 1000 + 20);
    for (int i = 0; i < 500; i++)
        bench.write(1, {0x40000 + (uint64_t)i * 2 * bench.atom(), 1, 1, i == 499});
    takes("clocks for 500 writes of one atom", 500 + 20);
    for (unsigned odd = 0; odd < 2; odd++) {
        const uint64_t words = 960 / bench.top.beat_atoms_o;
        bench.read(2, {0x1000 + odd * bench.atom(), 960, 1, false});
        takes("clocks for a read of 960 atoms by beats", words + 45);
        bench.write(1, {0x60000 + odd * (0x20000 + bench.atom()), 960, 1, true});
        takes("clocks for a write of 960 atoms by beats", words + 20);
    }
}

void unknown_ids() {
    Bench bench(6);
    if (!bench.secondary()) {
        checks.start("memory type 0 without secondary memory is never accepted");
        bench.read(0, {0x1000, 4, 0, false});
        bench.write(0, {0x1000, 4, 0, true});
        bench.design.clocks(500);
        checks.equal("AR", bench.port[0].ar_ids.size() + bench.port[1].ar_ids.size(), 0);
        checks.equal("AW", bench.port[0].aw_offers + bench.port[1].aw_offers, 0);
    }
    checks.start("answers with unknown IDs are dropped, and reported by checks");
    checks.rtl_checks = Checks::RtlChecks::Wanted;
    Bench drop(9);
    for (int id : {0, 1, 2, 4, 15}) {
        drop.top.rvalid_i = 1;
        drop.top.rid_i = (SData)id;
        drop.top.bvalid_i = 1;
        drop.top.bid_i = (SData)id;
        drop.top.clk_i = 0;
        drop.top.eval();
        drop.top.clk_i = 1;
        drop.top.eval();
    }
    Random random(9);
    traffic(drop, random, 50);
    drop.finish(20000);
}

void groups() {
    checks.start("register group: run, layer registers, status words, races with done");
    Bench b(11);
    Vbench &pins = b.top;
    auto write = [&](unsigned word, uint32_t data) { b.access(pins.group_req_i, true, word, data); };
    auto expect = [&](const char *what, unsigned word, uint32_t expected) {
        checks.equal(what, b.access(pins.group_req_i, false, word, 0), expected);
    };
    // The layer that runs: its group and word 4.
    auto runs = [&](const char *what, uint32_t group, uint32_t word) {
        checks.equal(what, pins.run_o, 1);
        checks.equal("group of the layer", pins.group_o, group);
        checks.equal("word 4 of the layer", pins.d_o[1], word);
    };
    // The layer ends in the clock of an access, or of none.
    auto done = [&](uint32_t status, unsigned word, uint32_t data) {
        pins.done_i = 1;
        pins.stat_i = status;
        if (word)
            write(word, data);
        else
            b.design.clock();
        pins.done_i = 0;
    };
    expect("reset of word 5", 5, 0x1234);
    expect("answer beyond the window", 8, 0);
    write(2, 0xcafe);
    expect("single storage", 2, 0xcafe);
    write(4, 0x11111111);
    write(5, 0xffffabcd);
    expect("word 5, 16 bits", 5, 0xabcd);
    write(6, 0xffffffff);
    expect("status is read-only", 6, 0);
    write(3, 0);
    expect("a 0 arms nothing", 3, 0);
    write(3, 1);
    b.design.clock();
    runs("run two clocks after the write", 0, 0x11111111);
    write(3, 0);
    expect("and ends nothing", 3, 1);
    checks.equal("word 5 of the layer", pins.d_o[2], 0xabcd);
    write(4, 0x22222222);
    expect("armed group keeps its value", 4, 0x11111111);
    write(1, 1);
    write(4, 0x33333333);
    write(3, 1);
    expect("both armed", 0, 0x00020001);
    runs("layer is still the first", 0, 0x11111111);
    // done, and in the same clock a write to the group that is released: dropped.
    write(1, 0);
    done(0x5555, 4, 0x44444444);
    checks.equal("run falls after done", pins.run_o, 0);
    b.design.clock();
    runs("next layer two clocks after done", 1, 0x33333333);
    expect("dropped write", 4, 0x11111111);
    expect("status after done", 6, 0x5555);
    expect("pointer", 1, 0x10000);
    expect("released", 3, 0);
    expect("status word", 0, 0x00010000);
    write(4, 0x55555555);
    expect("free group takes writes", 4, 0x55555555);
    // arm group 0 in the clock of group 1's done.
    done(0x6666, 3, 1);
    b.design.clock();
    runs("armed in the clock of the other group's done", 0, 0x55555555);
    expect("status cleared by arming", 6, 0);
    expect("status word", 0, 0x00000001);
    write(1, 1);
    expect("status of group 1", 6, 0x6666);
    write(3, 1);
    expect("status of group 1 cleared by arming", 6, 0);
    write(1, 0);
    expect("status of group 0 while group 1 is armed", 6, 0);
    write(1, 1);
    done(0x6666, 0, 0);
    expect("consumer after three layers", 1, 0x10001);
    b.design.clock();
    runs("run", 1, 0x33333333);
    done(0x7777, 0, 0);
    expect("status of group 1, second layer", 6, 0x7777);
    write(1, 0);
    expect("status of group 0, second layer", 6, 0x6666);
    // Group 1 armed first while group 0 is the next: it waits.
    write(1, 1);
    write(3, 1);
    b.design.clocks(5);
    checks.equal("the wrong group waits", pins.run_o, 0);
    expect("pending", 0, 0x00020000);
    write(1, 0);
    write(3, 1);
    b.design.clock();
    runs("the right group runs", 0, 0x55555555);
}

void interrupts() {
    checks.start("GLB: every source has its bit, set wins over clear, mask");
    Bench b(12);
    Vbench &pins = b.top;
    enum { Mask = 1, Set = 2, Status = 3 };
    auto access = [&](bool write, unsigned word, uint32_t data) { return b.access(pins.glb_req_i, write, word, data); };
    // Bits of done_intr_i: CACC, CDMA weight, CDMA data, RUBIK, BDMA, PDP, CDP, SDP, two each downwards; RUBIK and BDMA
    // are in full alone.
    const bool full = !strcmp(BENCH_CONFIG, "full");
    const int bdma = full ? 6 : -1, rubik = full ? 8 : -1;
    const int bit[16] = {0, 1, 2, 3, 4, 5, bdma, full ? 7 : -1, rubik, full ? 9 : -1, 16, 17, 18, 19, 20, 21};
    for (int i = 0; i < 16; i++) {
        const uint32_t status = bit[i] < 0 ? 0 : 1u << bit[i];
        pins.done_intr_i = (SData)(1u << i);
        b.design.clock();
        pins.done_intr_i = 0;
        checks.equal("intr in the clock after done", pins.intr_o, status != 0);
        checks.equal("status", access(false, Status, 0), status);
        pins.done_intr_i = (SData)(1u << i);
        access(true, Status, 0xffffffff); // clear and set in one clock
        pins.done_intr_i = 0;
        checks.equal("set wins", access(false, Status, 0), status);
        access(true, Status, 0xffffffff);
        checks.equal("cleared", access(false, Status, 0), 0);
        checks.equal("intr", pins.intr_o, 0);
    }
    access(true, Mask, 0x20);
    pins.done_intr_i = 1u << 5;
    b.design.clock();
    pins.done_intr_i = 0;
    checks.equal("masked event", pins.intr_o, 0);
    access(true, Mask, 0);
    checks.equal("unmasked later", pins.intr_o, 1);
}

} // namespace

void directed_cases() {
    stalls();
    limits();
    credits();
    weights();
    speed();
    unknown_ids();
    groups();
    interrupts();
}

// Traffic of all clients on memories with a behaviour of their own.
void random_case(uint64_t seed) {
    Random random(seed);
    Bench bench(seed);
    const auto share = [&] { return random.percent(30) ? 100 : random.range(5, 100); };
    Behaviour &b = bench.behaviour;
    b.ar = share();
    b.aw = share();
    b.w = share();
    b.r = share();
    b.b = share();
    b.latency = random.range(1u, random.percent(10) ? 600u : 80u);
    b.jitter = random.percent(50) ? 0 : random.below(100u);
    b.b_latency = random.range(1u, random.percent(10) ? 600u : 40u);
    b.shuffle = random.percent(50);
    b.engine = share();
    const bool bursts = bench.top.burst_o > 1 || bench.top.sram_burst_o > 1;
    if (random.percent(30)) {
        const unsigned count = random.range(bursts ? 3u : 0u, 15u);
        bench.limits(count);
    }
    traffic(bench, random, random.range(50, 300));
    bench.finish(1000000);
}
