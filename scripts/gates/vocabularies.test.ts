import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkVocabularies } from './vocabularies.ts'
import { putFile } from '#test/harness/put-file.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vocabularies-'))
})
afterEach(() => rm(root, { recursive: true }))

const plant = (file: string, text: string): void => putFile(root, file, text)

async function problems(): Promise<string[]> {
  return (await checkVocabularies(root)).problems
}

const risks = `/** From the mildest. */\nexport const risks = ['low', 'medium', 'high'] as const\n`
const inDomain = 'src/domain/verdict.ts:2 lists: '

test('a list of the domain, its type and the references to it pass', async () => {
  plant('src/domain/verdict.ts', `${risks}export type Risk = (typeof risks)[number]\n`)
  plant('src/api/schema.ts', `export const risk = z.enum(risks)\n`)
  plant('src/ui/texts.ts', `const texts: Record<Risk, string> = { low: '', medium: '' }\n`)
  expect(await checkVocabularies(root)).toEqual({ lists: 1, problems: [] })
})

test.each([
  ['a schema', `export const risk = z.enum(['high', 'low', 'medium'])`],
  [
    'a union of literals in a schema',
    `z.union([z.literal('low'), z.literal('medium'), z.literal('high')])`,
  ],
  ['a type', `export type Risk = 'high' | 'medium' | 'low'`],
  ['a type with more than its words', `let risk: 'low' | 'medium' | 'high' | null`],
  ['a union inside another type', `type Row = { risk: Generated<'low' | 'medium' | 'high'> }`],
  ['a list', `const known = ['low', 'medium', 'high'].includes(risk)`],
])('%s with the words of a list of the domain is reported, with both places', async (_, text) => {
  plant('src/domain/verdict.ts', risks)
  plant('src/ui/é.tsx', `// é\n${text}\n`)
  expect(await problems()).toEqual([expect.stringMatching(/^src\/ui\/é.tsx:2 lists what /)])
  expect((await problems())[0]).toContain(inDomain)
})

test('a type beside the list that it does not derive from is reported', async () => {
  plant('src/domain/verdict.ts', `${risks}export type Risk = 'low' | 'medium' | 'high'\n`)
  expect(await problems()).toEqual([
    `src/domain/verdict.ts:3 lists what ${inDomain}low, medium, high`,
  ])
})

test('the words of a list that contains another one count as written out', async () => {
  const states = `const begun = ['started', 'failed'] as const
    export const states = ['waiting', ...begun] as const satisfies readonly string[]`
  plant('src/domain/states.ts', states)
  plant('bench/state.ts', `type State = 'waiting' | 'started' | 'failed'\n`)
  expect(await problems()).toEqual([
    'bench/state.ts:1 lists what src/domain/states.ts:2 lists: waiting, started, failed',
  ])
})

test('the same words in two files are reported, even if the domain has no list of them', async () => {
  plant('src/store/table.ts', `type State = 'pending' | 'delivered' | 'dead'\n`)
  expect(await problems()).toEqual([])
  plant('src/api/schema.ts', `z.enum(['pending', 'delivered', 'dead'])\n`)
  expect(await problems()).toEqual([
    'src/api/schema.ts:1, src/store/table.ts:1: src/domain has no list of pending, delivered, dead',
  ])
})

test('subsets, samples, names of columns and properties, and records by word are no copies', async () => {
  plant('src/domain/verdict.ts', risks)
  plant('src/ui/subset.ts', `type Quiet = 'low' | 'medium'\n`)
  plant('src/ui/sample.ts', `const sample = ['low', 'medium', 'medium', 'high']\n`)
  plant('src/ui/pick.ts', `type Few = Pick<Row, 'low' | 'medium' | 'high'>\n`)
  plant('src/ui/select.ts', `db.selectFrom('row').select(['low', 'medium', 'high'])\n`)
  plant('src/ui/record.ts', `const texts = { low: 'l', medium: 'm', high: 'h' }\n`)
  expect(await problems()).toEqual([])
})

test('tests and migrations may repeat a vocabulary', async () => {
  plant('src/domain/verdict.ts', risks)
  const again = `const again = ['low', 'medium', 'high']\n`
  plant('src/domain/verdict.test.ts', again)
  plant('src/store/migrations/2026-risk.ts', again)
  expect(await problems()).toEqual([])
})
