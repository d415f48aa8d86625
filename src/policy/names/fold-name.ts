/** Letters that look Latin, besides those that NFKD replaces (full-width, accented). */
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ',
  b: 'ьвβʙƅ',
  c: 'сϲᴄƈ',
  d: 'ԁɗđᴅ',
  e: 'еεᴇɛҽ',
  f: 'ƒꜰ',
  g: 'ɡɢցǥ',
  h: 'һнհħʜɦ',
  i: 'іιɩɪӏǀ',
  j: 'јյᴊ',
  k: 'кκᴋƙ',
  l: 'ʟłƚ',
  m: 'мᴍ',
  n: 'пηոɴŋ',
  o: 'оοօøᴏσ',
  p: 'рρᴘքþ',
  q: 'ԛզ',
  r: 'гʀ',
  s: 'ѕꜱƨ',
  t: 'тτᴛŧ',
  u: 'υսᴜцμ',
  v: 'ѵνᴠ',
  w: 'ԝωᴡш',
  x: 'хχ',
  y: 'уγʏү',
  z: 'ᴢʐζ',
  '.': '。۔܁܂ꓸ',
  '-': '‐‑‒–—―−',
  _: '‗ˍ',
}

const latinOf = new Map(
  Object.entries(lookAlikes).flatMap(([latin, others]) =>
    [...others].map((other) => [other, latin] as const),
  ),
)

/**
 * The form of a file name that is compared with protected names: compatibility forms, case,
 * accents, invisible characters and look-alike letters make no difference (security.md 8). It
 * over-matches on purpose, and can only make a verdict stricter.
 */
export function foldName(name: string): string {
  // A fast path: most names are plain, and a search folds every name in its zones.
  const folded = plainName.test(name) ? name.toLowerCase() : foldLetters(name)
  return folded.replace(/(?<![. ])[. ]+$/, '')
}

/** Without letters that the folding changes, but for their case. */
const plainName = /^[ -~]*$/

function foldLetters(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\p{Cc}]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
  return Array.from(plain, (letter) => latinOf.get(letter) ?? letter).join('')
}

/** A path's components, each folded. */
export function foldPath(path: string): readonly string[] {
  return path.split('/').map(foldName)
}
