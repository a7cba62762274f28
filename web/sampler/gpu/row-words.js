// WGSL that the passes share: what they are bound to, and logits as integers. A row is read as words and never as
// floats, because WGSL may assume that there are no infinities and no NaN. src/lastinch.h (li_part) describes the result.
import * as layout from "../../core/layouts.js";

export const rowWords = /* wgsl */ `
struct Params { size: u32, listed: u32, is_masked: u32, is_half: u32 }
@group(0) @binding(0) var<storage, read> row: array<u32>;
@group(1) @binding(0) var<storage, read> mask: array<u32>;
@group(1) @binding(1) var<storage, read> ids: array<u32>;
@group(1) @binding(2) var<storage, read_write> part: array<atomic<u32>>;
@group(1) @binding(3) var<uniform> params: Params;

override threads: u32 = 64;

// Words of an li_part. Tokens are pairs. The logits of the listed ids follow it.
const PEAK = ${layout.PART_PEAK}u;
const LEFT_OUT = ${layout.PART_LEFT_OUT}u;
const STRANGE = ${layout.PART_STRANGE}u;
const BINS = ${layout.PART_BINS}u;
const COUNT = ${layout.PART_COUNT}u;
const COUNTS = ${layout.PART_COUNTS}u;
const RESTS = ${layout.PART_RESTS}u;
const TOKENS = ${layout.PART_TOKENS}u;
const LISTED = ${layout.PART_SIZE / 4}u;
const BIN_COUNT = ${layout.PART_BINS_LIMIT}u;

// The bits of a logit as a float; float16 is widened.
fn bits_at(id: u32) -> u32 {
  if (params.is_half == 0u) { return row[id]; }
  let half = (row[id / 2u] >> (16u * (id & 1u))) & 0xffffu;
  let sign = (half & 0x8000u) << 16u;
  let size = half & 0x7fffu;
  if (size >= 0x7c00u) { return sign | 0x7f800000u | ((size & 0x3ffu) << 13u); }
  if (size >= 0x400u) { return sign | ((size << 13u) + 0x38000000u); }
  if (size == 0u) { return sign; }
  let top = firstLeadingBit(size);
  return sign | ((top + 103u) << 23u) | ((size << (23u - top)) & 0x7fffffu);
}

fn is_allowed(id: u32) -> bool {
  return params.is_masked == 0u || ((mask[id / 32u] >> (id & 31u)) & 1u) == 1u;
}

// NaN or +infinity.
fn is_strange(bits: u32) -> bool {
  return bits == 0x7f800000u || (bits & 0x7fffffffu) > 0x7f800000u;
}

// Keys compare as the logits do. 0: the token is not counted.
fn key_at(id: u32) -> u32 {
  let bits = bits_at(id);
  if (!is_allowed(id) || is_strange(bits)) { return 0u; }
  if (bits < 0x80000000u) { return bits | 0x80000000u; }
  if (bits == 0x80000000u) { return bits; }
  if (bits >= 0xf149f2cau) { return 0u; } // -1e30 or below is masked
  return ~bits;
}

// The logit in 2^-16, rounded towards zero and limited to 2^30.
fn fixed_of(key: u32) -> i32 {
  let bits = select(~key, key ^ 0x80000000u, key >= 0x80000000u);
  let exponent = (bits >> 23u) & 255u;
  let digits = (bits & 0x7fffffu) | 0x800000u;
  var size = 0u;
  if (exponent > 140u) { size = 1u << 30u; }
  else if (exponent >= 134u) { size = digits << (exponent - 134u); }
  else if (exponent > 110u) { size = digits >> (134u - exponent); }
  return select(i32(size), -i32(size), bits >= 0x80000000u);
}

// The bin of a key, and the rest of the distance in 2048ths of the bin.
fn bin_of(peak: i32, key: u32) -> vec2<u32> {
  let distance = u32(peak - fixed_of(key));
  if (distance < (8u << 16u)) { return vec2(distance >> 11u, distance & 2047u); }
  if (distance < (24u << 16u)) {
    let far = distance - (8u << 16u);
    return vec2(256u + (far >> 13u), (far & 8191u) >> 2u);
  }
  if (distance < (56u << 16u)) {
    let far = distance - (24u << 16u);
    return vec2(384u + (far >> 15u), (far & 32767u) >> 4u);
  }
  let far = distance - (56u << 16u);
  let bin = 448u + (far >> 18u);
  if (bin >= BIN_COUNT - 1u) { return vec2(BIN_COUNT - 1u, 0u); }
  return vec2(bin, (far & 262143u) >> 7u);
}
`;
