import { afterAll, describe, expect, test } from 'vitest'
import type { ShellRule } from '#policy/worker-definition.ts'
import { analyseCommand, type CommandAnalysis } from '#policy/shell/analyse-command.ts'
import { whyUnread } from '#policy/shell/blocked-commands.ts'
import { judgeBy, rule } from '#policy/shell/judging.fixture.ts'
import { blockedScript } from './blocked-scripts.ts'
import { hostileScripts } from './hostile-scripts.ts'
import { plainScript, programs } from './plain-scripts.ts'
import { recordRuns, type Recorded } from './recording-shell.ts'
import { seededChoices } from './seeded.ts'

/**
 * Generated scripts of each kind; together with the mutations well over the 20,000 that issue 4
 * asks for.
 */
const plainCount = 14_000
const blockedCount = 8_000
const seed = Number(process.env['SHELL_SEED'] ?? 20_261_122)

const blockedPatterns = ['git push', 'git reset --hard', 'rm -rf']
const blockedVectors = blockedPatterns.map((pattern) => pattern.split(' '))
const analysed = (script: string): CommandAnalysis =>
  analyseCommand({ kind: 'shell', script, cwd: '' })
const rules: readonly ShellRule[] = [
  ...blockedPatterns.map((pattern) => rule(pattern, 'blocked')),
  ...programs.map((name) => rule(name, 'preApproved')),
  rule('timeout', 'preApproved'),
]

/** Programs that are recorded: what is pre-approved, and names that hostile texts would run. */
const recorded = [
  ...new Set([...programs.map((name) => name.split(' ')[0] ?? ''), 'evil', 'false', '[']),
].filter((name) => name !== 'git')

const counts: Record<string, number> = {}
const started = performance.now()
const count = (what: string, by = 1): void => {
  counts[what] = (counts[what] ?? 0) + by
}
afterAll(() => {
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`shell differential, seed ${seed}, ${seconds} s: ${JSON.stringify(counts)}`)
})

interface Judged {
  readonly script: string
  readonly approval: string
  readonly printed: string | null
}

async function judgeAll(scripts: readonly string[]): Promise<readonly Judged[]> {
  const judged: Judged[] = []
  for (const script of scripts) {
    const { approval, printed } = await judgeBy(rules, script)
    count('judged')
    count(approval)
    judged.push({ script, approval, printed: printed?.kind === 'shell' ? printed.script : null })
  }
  return judged
}

/**
 * Runs what is pre-approved as it was written and as it is printed: the vectors must be the same.
 */
async function expectSameVectors(judged: readonly Judged[]): Promise<void> {
  const approved = judged.filter(({ approval }) => approval === 'preApproved')
  const written = await recordRuns(
    approved.map(({ script }) => script),
    recorded,
  )
  const printed = await recordRuns(
    approved.map((one) => one.printed ?? ''),
    recorded,
  )
  count('ran both ways', approved.length)
  for (const [index, { script }] of approved.entries()) {
    const text = JSON.stringify(script)
    expect(comparable(printed[index] ?? [], script), text).toEqual(
      comparable(written[index] ?? [], script),
    )
  }
}

/** Without what hardening adds; in any order where commands run side by side. */
function comparable(runs: Recorded, script: string): readonly string[] {
  const vectors = runs.map((vector) => JSON.stringify(withoutHardening(vector)))
  return script.includes('|') ? vectors.toSorted() : vectors
}

const hardening = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all']

function withoutHardening(vector: readonly string[]): readonly string[] {
  if (vector[0] !== 'git') return vector
  const command = vector.findIndex(
    (word, index) => index > 0 && !word.startsWith('-') && vector[index - 1] !== '-c',
  )
  const rest = vector.slice(command).filter((word) => !hardening.includes(word))
  return ['git', ...rest]
}

/**
 * Runs what is not blocked as it was written, and says which of it ran something that is blocked.
 */
async function missedBlocks(judged: readonly Judged[]): Promise<readonly Judged[]> {
  const open = judged.filter(({ approval }) => approval !== 'blocked')
  const runs = await recordRuns(
    open.map(({ script }) => script),
    recorded,
  )
  count('ran unblocked', open.length)
  return open.filter((_, index) => (runs[index] ?? []).some(isBlockedVector))
}

/** Does a vector really do what the blocked patterns name? */
function isBlockedVector(vector: readonly string[]): boolean {
  const [name, ...rest] = vector
  if (name === 'rm') {
    const flags = rest.filter((word) => word.startsWith('-'))
    const has = (letters: RegExp, long: string): boolean =>
      flags.some((flag) => (flag.startsWith('--') ? flag === long : letters.test(flag)))
    return has(/[rR]/, '--recursive') && has(/f/, '--force')
  }
  if (name !== 'git') return false
  let at = 0
  while (rest[at]?.startsWith('-') === true) at += rest[at] === '-C' || rest[at] === '-c' ? 2 : 1
  return rest[at] === 'push' || (rest[at] === 'reset' && rest.includes('--hard'))
}

const oddPieces = [
  '""',
  "''",
  '\\',
  '\\\n',
  '\n',
  ' ',
  '\t',
  '\r',
  '\u0001',
  '\u0007',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u00ad',
  '\u200b',
  '\u200d',
  '\u202e',
  '\u2028',
  '\u2060',
  '\u3000',
  '\ufeff',
  '\u{e0041}',
  '$()',
  '``',
  '${x}',
  '$@',
  ';',
  '|',
  '&',
  '#',
  '"',
  "'",
  '{',
  '*',
  '~',
  '<(git push)',
  '$(evil)',
  '`evil`',
  "$'",
  '(',
  '!',
]

/** Every text with an odd piece at every place of it. */
function mutations(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) =>
    Array.from({ length: text.length + 1 }, (_, at) => at).flatMap((at) =>
      oddPieces.map((piece) => text.slice(0, at) + piece + text.slice(at)),
    ),
  )
}

const mutated = mutations([
  'git push',
  'git -C . push',
  'rm -rf x',
  'echo "a b" c',
  "cat 'x' | head",
  'ls "$HOME" 2>&1',
  "bash -c 'git push'",
])

// Rules: security.md 1, 2, 6
describe('what is pre-approved runs the same vectors under bash as it was written', () => {
  test(`${plainCount} generated scripts`, { timeout: 600_000 }, async () => {
    const choices = seededChoices(seed)
    const scripts = Array.from({ length: plainCount }, () => plainScript(choices))
    const judged = await judgeAll(scripts)
    const approved = judged.filter(({ approval }) => approval === 'preApproved')
    expect(approved.length).toBeGreaterThan(plainCount / 10)
    await expectSameVectors(judged)
  })

  test('every hostile text, and every mutation of some', { timeout: 600_000 }, async () => {
    const judged = await judgeAll([...hostileScripts, ...mutated])
    await expectSameVectors(judged)
    expect(await missedBlocks(judged)).toEqual([])
  })
})

// Rules: security.md 1, 5
describe('what is blocked does not get through', () => {
  test(`${blockedCount} scripts that hide a blocked command`, { timeout: 600_000 }, async () => {
    const choices = seededChoices(seed + 1)
    const made = Array.from({ length: blockedCount }, () => blockedScript(choices))
    const [literal, hidden] = [true, false].map((kind) =>
      made.filter((one) => one.literal === kind).map((one) => one.script),
    )
    const spelled = await judgeAll(literal ?? [])
    count('spelled out', spelled.length)
    expect(await missedBlocks(spelled)).toEqual([])
    const unknowable = await judgeAll(hidden ?? [])
    count('not to be known', unknowable.length)
    const missed = await missedBlocks(unknowable)
    count('not to be known, asked', missed.length)
    expect(missed.map(({ approval }) => approval).filter((word) => word !== 'ask')).toEqual([])
    // The mode `approve_all` leaves each of them to a person (product.md 21).
    const readable = missed.filter(
      ({ script }) => whyUnread(blockedVectors, analysed(script)) === null,
    )
    expect(readable.map(({ script }) => script)).toEqual([])
    const unread = unknowable.filter(
      ({ script }) => whyUnread(blockedVectors, analysed(script)) !== null,
    )
    count('not to be known, left to a person in every mode', unread.length)
  })
})
