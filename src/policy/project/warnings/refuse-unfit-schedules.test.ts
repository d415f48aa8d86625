import { expect, test } from 'vitest'
import { parseProject } from '../parse-project.ts'

const config = (input: string): string => `version: 1
teams: { t: { members: [ada@example.com, grace@example.com] } }
queues: { q: { team: t } }
defaults: { queue: q }
schedules:
  nightly: { worker: w, as: ada@example.com, cron: "0 6 * * *", input: ${input} }
`
const worker = (schema: string): string =>
  `---\nname: w\ndescription: d\nmodel: openai:x\n${schema}---\nDo it.\n`
const schema =
  'input: { type: object, required: [version], properties: { version: { type: string } } }\n'

function problems(input: string, front = schema): string[] {
  const texts = new Map([
    ['countersign.yaml', config(input)],
    ['workers/w.md', worker(front)],
  ])
  const parsed = parseProject({ texts, toolFiles: [] })
  return 'problems' in parsed
    ? parsed.problems.map(({ file, line, problem }) => `${file}:${line} ${problem}`)
    : []
}

test('a schedule whose input does not fit its worker’s schema is an error at its line, before its first time', () => {
  expect(problems('{ version: "1.2" }')).toEqual([])
  expect(problems('Draft the notes', '')).toEqual([])
  const at = 'countersign.yaml:6 schedule "nightly": '
  const by = ', by the "input" of the worker "w"'
  expect(problems('{}')).toEqual([`${at}input.version is missing${by}`])
  expect(problems('{ version: 2 }')).toEqual([`${at}input.version must be a text${by}`])
  expect(problems('Draft the notes')).toEqual([`${at}input must be an object${by}`])
})
