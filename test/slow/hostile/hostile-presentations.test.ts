import { applyPatch } from 'diff'
import { expect, test } from 'vitest'
import { quoteLines } from '#cli/text/quote-lines.ts'
import { printable } from '#cli/text/terminal-text.ts'
import { wrap } from '#cli/text/wrap.ts'
import { lineBlocks, linePieces, splitLines } from '#domain/text/line-pieces.ts'
import { visibleText } from '#domain/text/visible-text.ts'
import { decodeText } from '#tools/presentations/file-kind.ts'
import { fileVersion, presentFileChange } from '#tools/presentations/file-change.ts'
import { unifiedDiff } from '#tools/presentations/unified-diff.ts'
import { seededChoices, type Choices } from '../../shell/seeded.ts'
import { cpuMsOf } from '../cpu-time.ts'
import { mutateBytes } from './mutate.ts'
import { seedOfRun } from '../seed-of-run.ts'

const rounds = 4000
const pieces = [
  'a',
  'b',
  'if (x) {',
  'pay',
  'пay',
  '\u0000',
  '\u0007',
  '\u0008',
  '\u001b[2J',
  '\u001b]0;x\u0007',
  '\u007f',
  '\u009b31m',
  '\r',
  '\r\n',
  '\n',
  '\n\n\n\n\n\n\n\n\n',
  '\t',
  ' ',
  '  ',
  '\u00a0',
  '\u2003',
  '\u3000',
  '\u2028',
  '\u2029',
  '\u0085',
  '\u202e',
  '\u2066',
  '\u2069',
  '\u200f',
  '\u061c',
  '\u200b',
  '\u200d',
  '\ufeff',
  '\u00ad',
  '\u2800',
  '\u3164',
  '\u034f',
  '\u0301',
  '\u0301\u0302\u0303\u0304',
  '\u20dd',
  '\u0e49',
  '\ufe0f',
  '👨\u200d👩\u200d👧',
  '日本',
  '\u{e0041}',
  '\u{10ffff}',
  '\ue000',
  '\ud800',
  '\udc00',
  '⟦',
  '⟧',
  '⟦U+001B ESC⟧',
  '│ ',
  '@@ -1 +1 @@',
  '--- a/x',
  '+++ b/x',
  '+',
  '-',
  '\\',
  '\\ No newline at end of file',
  'x'.repeat(300),
]

/**
 * A text of a few of the pieces, some of them very often: one line of a megabyte, stacked marks,
 * pages of blanks.
 */
function anyText(choose: Choices): string {
  const few = Array.from({ length: 1 + choose.number(8) }, () => choose.one(pieces))
  const parts = Array.from({ length: choose.number(60) }, () => {
    const piece = choose.one(few)
    return choose.percent(5)
      ? piece.repeat(1 + choose.number(choose.percent(2) ? 20_000 : 200))
      : piece
  })
  const line = choose.one(['', '\n', '\r\n', '\r'])
  return parts.join(choose.percent(50) ? line : '').slice(0, 200_000)
}

/** A text that is another version of the first, or nothing like it. */
function anyOther(choose: Choices, text: string): string {
  if (choose.percent(20)) return anyText(choose)
  const lines = text.split('\n')
  for (let change = choose.number(5); change >= 0; change -= 1) {
    const at = choose.number(lines.length + 1)
    const moved = lines.splice(at, choose.number(3))
    if (choose.percent(50)) lines.splice(choose.number(lines.length + 1), 0, ...moved)
    if (choose.percent(50)) lines.splice(at, 0, ...anyText(choose).split('\n').slice(0, 20))
  }
  const other = lines.join('\n')
  if (choose.percent(70)) return other
  return mutateBytes(choose, Buffer.from(other), pieces).toString('utf8')
}

/**
 * What moves a cursor, turns a line around, or cannot be seen: it must never reach an eye as
 * itself.
 */
const raw = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/u

function check(text: string, what: string): void {
  const { lines, finalNewline } = splitLines(text)
  // Nothing is lost between a text and what is drawn of it.
  const blocks = lineBlocks(lines, 100)
  expect(
    blocks.flatMap((block) => block.lines),
    what,
  ).toEqual(lines)
  if (text !== '') expect(lines.join('\n') + (finalNewline ? '\n' : ''), what).toBe(text)
  let from = 1
  for (const block of blocks) {
    expect(block.from, what).toBe(from)
    from += block.lines.length
    if (block.kind === 'blank') expect(block.lines.join(''), what).toMatch(/^[ \t\r]*$/)
  }
  for (const line of lines) {
    const drawn = linePieces(line)
    if (drawn.map((piece) => piece.text).join('') !== line)
      expect.fail(`${what}: a line is drawn as another`)
    for (const piece of drawn) {
      if (piece.kind === 'text' && raw.test(piece.text.replaceAll('\t', '')))
        expect.fail(`${what}: ${JSON.stringify(piece.text)}`)
      if (piece.kind === 'blanks' && piece.count !== piece.text.length)
        expect.fail(`${what}: a wrong count`)
    }
  }
  if (
    visibleText(text)
      .map((segment) => segment.text)
      .join('') !== text
  )
    expect.fail(`${what}: segments are another text`)
  checkTerminal(text, lines, what)
}

function checkTerminal(text: string, lines: readonly string[], what: string): void {
  const printed = printable(text)
  if (raw.test(printed.replaceAll(/[\t\n]/g, '')))
    expect.fail(`${what}: a terminal would be sent a control character`)
  expect(printed.split('\n').length, what).toBe(text.split('\n').length)
  for (const diff of [false, true]) {
    const rows = quoteLines(text, { columns: 80, diff })
    const bare = rows.join('')
    if (raw.test(bare.replaceAll('\t', '')))
      expect.fail(`${what}: a quotation has a control character`)
    expect(rows.length, what).toBeGreaterThanOrEqual(lines.length === 0 ? 0 : 1)
  }
  const first = printable(lines[0] ?? '')
  if (wrap(first, 40).join('') !== first) expect.fail(`${what}: a wrapped line is another line`)
}

// Rules: security.md 17, 18
test(`of ${rounds} random texts every byte is drawn or counted, and no control character as itself`, () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  for (let round = 0; round < rounds; round += 1) {
    const what = `SEED=${seed} round ${round}`
    const text = anyText(choose)
    expect(
      cpuMsOf(() => check(text, what)),
      what,
    ).toBeLessThan(5000)
  }
}, 240_000)

// Rules: product.md 26
test(`of ${rounds} random changes the difference that is shown makes the one text of the other`, async () => {
  const seed = seedOfRun()
  const choose = seededChoices(seed)
  const names = { before: 'notes/a.md', after: 'notes/a.md' }
  for (let round = 0; round < rounds; round += 1) {
    const what = `SEED=${seed} round ${round}`
    const before = anyText(choose).toWellFormed()
    const after = anyOther(choose, before).toWellFormed()
    let diff = unifiedDiff(names, '', '')
    const spentMs = cpuMsOf(() => {
      diff = unifiedDiff(names, before, after)
    })
    expect(spentMs, what).toBeLessThan(5000)
    const applied = applyPatch(before, diff.text, { autoConvertLineEndings: false })
    if (applied !== after) expect.fail(`${what}: the difference makes another text`)
    const back = applyPatch(after, reversed(diff.text), { autoConvertLineEndings: false })
    if (back !== before) expect.fail(`${what}: the difference does not lead back`)
    if (round % 4 === 0) await checkPresented(before, after, what)
  }
}, 240_000)

/** The same difference the other way around. */
function reversed(diff: string): string {
  return diff
    .split('\n')
    .map((line, at) => {
      if (at < 2) return line
      const [, from, to] = /^@@ -(\S+) \+(\S+) @@$/.exec(line) ?? []
      if (from !== undefined) return `@@ -${to} +${from} @@`
      const sign = line.startsWith('+') ? '-' : line.startsWith('-') ? '+' : null
      return sign === null ? line : sign + line.slice(1)
    })
    .join('\n')
}

async function checkPresented(before: string, after: string, what: string): Promise<void> {
  const [old, fresh] = [fileVersion(Buffer.from(before)), fileVersion(Buffer.from(after))]
  const change = { path: 'notes/a.md', before: old, after: fresh }
  const { title, presentation } = await presentFileChange(change, null)
  if (raw.test(title)) expect.fail(`${what}: ${JSON.stringify(title)}`)
  const isText = decodeText(Buffer.from(before)) !== null && decodeText(Buffer.from(after)) !== null
  expect(presentation.type, what).toBe(isText ? 'diff' : 'binary')
  expect(presentation.totalBytes, what).toBe(Buffer.byteLength(presentation.content))
  expect(presentation.metadata, what).toMatchObject({ baseHash: old.hash, newHash: fresh.hash })
  const made = await presentFileChange({ path: 'notes/a.md', before: null, after: fresh }, null)
  const wholeText = decodeText(Buffer.from(after))
  if (wholeText !== null && made.presentation.content !== wholeText)
    expect.fail(`${what}: a new file is shown as another`)
}
