import { expect, test } from 'vitest'
import { noteSigner } from '#test/harness/evidence/fixed-log.ts'
import { formatVerifierKey } from '#evidence/note/note-key.ts'
import { parseConfig } from '#test/harness/fixtures/project.ts'

const vkey = formatVerifierKey(noteSigner('witness.example', 'cosignature').key)
const other = formatVerifierKey(noteSigner('other.example', 'cosignature').key)
const ofLog = formatVerifierKey(noteSigner('log.example').key)

function parse(text: string) {
  const { config, problems } = parseConfig(`version: 1\naudit:\n${text}`)
  return { audit: config?.audit ?? null, problems: problems.map(({ problem }) => problem) }
}

const one = (more: Record<string, string | null> = {}): string => {
  const fields = { name: 'office', url: 'https://witness.example/log/', vkey, ...more }
  const entries = Object.entries(fields).filter(([, value]) => value !== null)
  return `    - { ${entries.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(', ')} }\n`
}

test('a witness has a name, an address and a key', () => {
  const more = one({ name: 'home', url: 'http://localhost:4480', vkey: other })
  expect(parse(`  witnesses:\n${one()}${more}`).audit).toEqual({
    witnesses: [
      { name: 'office', url: 'https://witness.example/log', vkey, source: 'countersign.yaml:4' },
      { name: 'home', url: 'http://localhost:4480', vkey: other, source: 'countersign.yaml:5' },
    ],
  })
  expect(parse('  witnesses:\n').audit).toEqual({ witnesses: [] })
})

test.each([
  [one({ url: 'http://witness.example' }), 'not an https://'],
  [one({ url: 'https://me:secret@witness.example' }), 'a user name, a password'],
  [one({ url: 'https://witness.example/?to=us' }), 'has a query'],
  [one({ url: null }), 'has no "url"'],
  [one({ name: null }), 'has no "name"'],
  [one({ name: 'two words' }), 'has the name "two words"'],
  [one({ vkey: null }), 'has no "vkey"'],
  [one({ vkey: 'witness.example+00000000+AAAA' }), 'is not the key of a witness'],
  [one({ vkey: ofLog }), 'is the key of a log'],
  [one() + one({ vkey: other }), 'names office twice'],
  [one() + one({ name: 'home' }), 'names witness.example'],
  [one({ secret: 'x' }), 'unknown key'],
  [one().repeat(11), 'has 11 witnesses'],
])('%s is refused: %s', (witnesses, problem) => {
  const { problems } = parse(`  witnesses:\n${witnesses}`)
  expect(problems).toEqual(expect.arrayContaining([expect.stringContaining(problem)]))
})
