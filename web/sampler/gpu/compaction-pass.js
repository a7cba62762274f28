// The third pass: lists the tokens of as many bins as there is room for, finds the largest logit that is left out, and
// gathers the logits of the listed ids.
import { PART_TOKENS_LIMIT } from "../../core/layouts.js";

export const compactionPass = /* wgsl */ `
var<workgroup> bins: u32;
var<workgroup> highest: atomic<u32>;

@compute @workgroup_size(threads)
fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(local_invocation_index) thread: u32,
        @builtin(num_workgroups) groups: vec3<u32>) {
  if (thread == 0u) {
    var room = ${PART_TOKENS_LIMIT}u;
    var bin = 0u;
    for (; bin < BIN_COUNT; bin++) {
      let count = atomicLoad(&part[COUNTS + bin]);
      if (count > room) { break; }
      room -= count;
    }
    bins = bin;
    if (at.x == 0u) { atomicStore(&part[BINS], bin); }
  }
  workgroupBarrier();
  let peak = fixed_of(atomicLoad(&part[PEAK]));
  var left_out = 0u;
  for (var id = at.x; id < params.size; id += groups.x * threads) {
    let key = key_at(id);
    if (key == 0u) { continue; }
    if (bin_of(peak, key).x < bins) {
      let to = TOKENS + 2u * atomicAdd(&part[COUNT], 1u);
      atomicStore(&part[to], id);
      atomicStore(&part[to + 1u], bits_at(id));
    } else {
      left_out = max(left_out, key);
    }
  }
  atomicMax(&highest, left_out);
  for (var i = at.x; i < params.listed; i += groups.x * threads) {
    atomicStore(&part[LISTED + i], bits_at(ids[i]));
  }
  workgroupBarrier();
  if (thread == 0u) { atomicMax(&part[LEFT_OUT], atomicLoad(&highest)); }
}
`;
