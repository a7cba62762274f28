// The formats of JSON Schema as regular expressions for the whole text. If a format is not regular, the expression
// accepts a subset: no internationalised label in ASCII form (xn--); regular expressions without names, back references
// and deep nesting.
import { matchExpression } from "../regex.js";

const { raw } = String;

/** @param {string[]} parts */
const oneOf = (...parts) => `(?:${parts.join("|")})`;
/** @param {number} count @param {(at: number) => string} make */
const times = (count, make) => oneOf(...Array.from({ length: count }, (_, at) => make(at)));
const two = (/** @type {number} */ number) => String(number).padStart(2, "0");

const leapYear = raw`(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)`;
const monthDay = raw`(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)`;
const date = oneOf(raw`\d{4}-${monthDay}`, `${leapYear}-02-29`);

const clock = raw`(?:[01]\d|2[0-3]):[0-5]\d`;
const fraction = raw`(?:\.\d+)?`;
// A leap second is the last second of a day in UTC, so the time of day determines the offset. All offsets are multiples
// of a quarter of an hour.
/** @param {number} minute */
const hourAndMinute = (minute) => `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`;
const leapSecond = times(96, (at) => {
  const minute = at * 15 + 14;
  return raw`${hourAndMinute(minute)}:60${fraction}(?:\+${hourAndMinute(minute + 1)}|-${hourAndMinute(1439 - minute)})`;
});
const time = oneOf(raw`${clock}:[0-5]\d${fraction}(?:[Zz]|[+-]${clock})`, `23:59:60${fraction}[Zz]`, leapSecond);

// Units may be left out at either end only.
/** @param {string} units @returns {string} */
const descending = (units) =>
  oneOf(
    ...Array.from(units, (_, at) =>
      [...units.slice(at)].reduceRight((rest, unit) => raw`\d+${unit}${rest && `(?:${rest})?`}`, ""),
    ),
  );
const timeSpan = `T${descending("HMS")}`;
const duration = `P${oneOf(`${descending("YMD")}(?:${timeSpan})?`, timeSpan, raw`\d+W`)}`;

const octet = raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const ipv4 = raw`${octet}(?:\.${octet}){3}`;
const group = raw`[\da-fA-F]{1,4}`;
const lastGroups = oneOf(`${group}:${group}`, ipv4);
/** @param {number} most */
const leading = (most) => `(?:(?:${group}:){0,${most}}${group})?`;
const ipv6 = oneOf(
  `(?:${group}:){6}${lastGroups}`,
  `::(?:${group}:){5}${lastGroups}`,
  ...[4, 3, 2, 1, 0].map((after) => `${leading(4 - after)}::(?:${group}:){${after}}${lastGroups}`),
  `${leading(5)}::${group}`,
  `${leading(6)}::`,
);

const alphanumeric = raw`[a-zA-Z\d]`;
const restOfLabel = raw`(?:[a-zA-Z\d\-]{0,61}${alphanumeric})?`;
// As (?!..--)[a-zA-Z\d]restOfLabel, without a lookahead, which makes masks slow.
const inLabel = raw`[a-zA-Z\d\-]`;
const label = `${alphanumeric}(?:${inLabel}{0,2}${alphanumeric}|${inLabel}(?:${alphanumeric}${inLabel}|-${alphanumeric})${inLabel}{0,58}${alphanumeric})?`;
const hostname = raw`(?![^]{254})${label}(?:\.${label})*`;

const address = raw`\[(?:${ipv4}|IPv6:${ipv6})\]`;
// RFC 5321 names lengths that must be accepted, but no upper limit.
/** @param {string} more characters @param {string} letters */
const email = (more, letters) => {
  const atom = raw`[\w!#$%&'*+/=?^\x60{|}~\-${more}]+`;
  const quoted = raw`"(?:[ !#-[\]-~${more}]|\\[ -~])*"`;
  const part = raw`[a-zA-Z\d${letters}]+(?:-+[a-zA-Z\d${letters}]+)*`;
  return raw`(?:${atom}(?:\.${atom})*|${quoted})@(?:${part}(?:\.${part})*|${address})`;
};

const percent = raw`%[\da-fA-F]{2}`;
const delimiters = "!$&'()*+,;=";
/** @param {string} more characters @param {string} privateUse */
const identifier = (more, privateUse) => {
  /** @param {string} others */
  const one = (others) => raw`(?:[\w.~\-${delimiters}${more}${others}]|${percent})`;
  const host = oneOf(raw`\[(?:${ipv6}|[vV][\da-fA-F]+\.[\w.~\-${delimiters}:]+)\]`, `${one("")}*`);
  const segment = one(":@");
  const authority = raw`(?:${one(":")}*@)?${host}(?::\d*)?`;
  const path = `(?://${authority}(?:/${segment}*)*|/?(?:${segment}+(?:/${segment}*)*)?)`;
  const rest = raw`${path}(?:\?${one(`:@/?${privateUse}`)}*)?(?:#${one(":@/?")}*)?`;
  const scheme = raw`[a-zA-Z][a-zA-Z\d+.\-]*:`;
  return { absolute: scheme + rest, reference: `(?:${scheme}|(?![^/?#]*:))${rest}` };
};
const planes = Array.from(
  { length: 13 },
  // Not a raw template: webpack minifies with Terser, which rejects an escape with a hole in it.
  (_, at) => `\\u{${(at + 1).toString(16)}0000}-\\u{${(at + 1).toString(16)}fffd}`,
);
const letters = raw`\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef${planes.join("")}\u{e1000}-\u{efffd}`;
const privateUse = raw`\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}`;
const uri = identifier("", "");
const iri = identifier(letters, privateUse);

const nameCharacter = raw`(?:\w|${percent})`;
const variable = raw`${nameCharacter}(?:\.?${nameCharacter})*(?::[1-9]\d{0,3}|\*)?`;
const uriTemplate = raw`(?:[!#$&-;=?-[\]_a-z~${letters}${privateUse}]|${percent}|\{[+#./;?&]?${variable}(?:,${variable})*\})*`;

const jsonPointer = "(?:/(?:[^~/]|~[01])*)*";

// Regular expressions that are valid with and without the flag u. Ranges must not run backwards.
const digits = "0123456789";
const lowerCase = "abcdefghijklmnopqrstuvwxyz";
const ranges = [digits, lowerCase, lowerCase.toUpperCase()].map((all) =>
  times(all.length, (at) => `${all[at]}-[${all.slice(at)}]`),
);
const hexadecimal = raw`[\da-fA-F]`;
const escaped = raw`\\(?:[dDwWsSfnrtv^$\\.*+?()[\]{}|/]|0(?!\d)|c[a-zA-Z]|x${hexadecimal}{2}|u${hexadecimal}{4})`;
const bracketed = raw`\[\^?-?(?:${ranges.join("|")}|[^\]\\\-^]|${escaped})*-?\]`;
const count = times(10, (at) => `${at},[${digits.slice(at)}]`);
const quantifier = raw`(?:(?:[*+?]|\{(?:\d+,?|\d,[1-9]\d+|${count})\})\??)?`;
/** @param {number} depth @returns {string} */
const disjunction = (depth) =>
  raw`(?:\||[\^$]|\\[bB]|(?:[^\^$\\.*+?()[\]{}|]|\.|${escaped}|${bracketed}${
    depth ? raw`|\((?:\?:)?${disjunction(depth - 1)}\)` : ""
  })${quantifier}${depth ? raw`|\(\?<?[=!]${disjunction(depth - 1)}\)` : ""})*`;

// Labels of RFC 5892 and 5893: some characters are valid anywhere, others only beside certain characters. A label may
// have 63 characters in ASCII: 63 characters of a small script, or a quarter as many of other scripts.
const idnHostname = () => {
  const stop = "[.。．｡]";
  // Characters that are not valid, and marks that may compose with the character before; the order of marks is not checked.
  const excluded = raw`\p{CWKCF}\u0300-\u036f\u0640\u0653-\u0655\u07fa\u093c\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0c56\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dca\u0dcf\u0ddf\u102e\u1100-\u11ff\u1b35\u20d0-\u20ff\u302e\u302f\u3031-\u3035\u303b\u3099\u309a\ua960-\ua97f\ud7b0-\ud7ff\u{11000}-\u{11fff}\u{16100}-\u{16dff}\u{1d100}-\u{1d24f}`;
  const letters = raw`[[\p{Ll}\p{Lo}\p{Lm}\u3007]--[${excluded}]]\xdf\u03c2\u06fd\u06fe`;
  const others = raw`[[\p{Mn}\p{Mc}\p{Nd}]--[${excluded}\d٠-٩]]\u0f0b`;
  const rightToLeft = raw`[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]`;
  const joined = raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d][\u200c\u200d]`;
  const joining = raw`[\u0628\u062a-\u062e\u0633-\u063a\u0641-\u0647\u0649\u064a\u067e\u0686\u06a9\u06af\u06cc]`;
  /** @param {string} first @param {string} next @param {number} most */
  const chain = (first, next, most) => `${first}(?:-?${next}){0,${most}}`;
  const small = raw`[[${letters}]&&[\x80-\u058f]]`;
  const smallLabel = raw`(?!..--)[a-z\d${small}](?:[a-z\d\-${small}]{0,50}[a-z\d${small}])?`;
  const left = raw`[a-z\d۰-۹[[${letters}]--${rightToLeft}]]`;
  const dotted = "l(?:·l)+";
  const leftOrMark = oneOf(
    raw`[a-z\d۰-۹[[${letters}${others}]--${rightToLeft}]]`,
    dotted,
    raw`͵[\p{sc=Grek}&&[${letters}]]`,
    joined,
  );
  const kana = raw`[[\p{sc=Hira}\p{sc=Kana}\p{sc=Hani}]&&[${letters}]]`;
  const right = raw`[[${letters}]&&${rightToLeft}]`;
  const marked = raw`[\p{sc=Hebr}&&${right}][\u05f3\u05f4]`;
  /** @param {string} digits of one kind */
  const rightLabel = (digits) =>
    chain(
      oneOf(right, marked),
      oneOf(
        raw`[${digits}[[${letters}]&&${rightToLeft}]][[\p{Mn}&&${rightToLeft}]--[${excluded}]]?`,
        marked,
        raw`${joining}\u200c${joining}`,
      ),
      15,
    );
  // If any letter is written from right to left, no label begins with a digit.
  const toTheRight = oneOf(
    label,
    smallLabel,
    chain(oneOf(left, dotted), leftOrMark, 15),
    raw`[・a-z\d]{0,7}${kana}[・a-z\d${kana}]{0,7}`,
  );
  const toTheLeft = oneOf(`(?!..--)[a-zA-Z]${restOfLabel}`, rightLabel(raw`\d۰-۹`), rightLabel("٠-٩"));
  return `(?!.{254})${oneOf(...[toTheRight, toTheLeft].map((one) => `${one}(?:${stop}${one})*`))}`;
};

/** @type {Map<string, string | (() => string)>} */
const sources = new Map(
  Object.entries({
    "date-time": `${date}[Tt]${time}`,
    date,
    time,
    duration,
    email: email("", ""),
    "idn-email": email(raw`\x80-\u{10ffff}`, raw`\p{L}\p{M}\p{N}`),
    hostname,
    "idn-hostname": idnHostname,
    ipv4,
    ipv6,
    uri: uri.absolute,
    "uri-reference": uri.reference,
    iri: iri.absolute,
    "iri-reference": iri.reference,
    uuid: raw`${hexadecimal}{8}-(?:${hexadecimal}{4}-){3}${hexadecimal}{12}`,
    "uri-template": uriTemplate,
    "json-pointer": jsonPointer,
    "relative-json-pointer": raw`(?:0|[1-9]\d*)(?:#|${jsonPointer})`,
    regex: disjunction(2),
  }),
);

/** The names of the formats of JSON Schema. */
export const formatNames = [...sources.keys()];

/**
 * The format as a regular expression of the whole text; undefined: the format is unknown.
 * @param {string} name
 * @returns {{ source: string, flags: string } | undefined}
 */
export function formatPattern(name) {
  const source = sources.get(name);
  if (source) return typeof source === "string" ? { source, flags: "u" } : { source: source(), flags: "v" };
}

/** @type {Map<string, import("../form.js").Expression>} */
const expressions = new Map();

/**
 * The texts of the format; undefined: the format is unknown.
 * @param {string} name
 */
export function formatExpression(name) {
  const known = expressions.get(name);
  const pattern = known ? undefined : formatPattern(name);
  if (!pattern) return known;
  const expression = matchExpression(pattern.source, pattern.flags);
  expressions.set(name, expression);
  return expression;
}
