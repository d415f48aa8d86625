import { expect, test } from 'vitest'
import { parseProject } from '../parse-project.ts'

const config = (input: string, more = ''): string => `version: 1
${more}teams: { t: { members: [ada@example.com, grace@example.com] } }
queues: { q: { team: t } }
defaults: { queue: q }
schedules:
  nightly: { worker: w, as: ada@example.com, cron: "0 6 * * *", input: ${input} }
`
const worker = (schema: string): string =>
  `---\nname: w\ndescription: d\nmodel: openai:x\n${schema}---\nDo it.\n`
const schema =
  'input: { type: object, required: [version], properties: { version: { type: string } } }\n'

function problems(input: string, front = schema, more = ''): string[] {
  const texts = new Map([
    ['countersign.yaml', config(input, more)],
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

test('errors between two files are shown beside an error of countersign.yaml alone', () => {
  const front = `limits: { costUsd: 1 }\n${schema}`
  expect(problems('{}', front, 'budgets: [{ worker: w, period: year, costUsd: 1 }]\n')).toEqual([
    expect.stringContaining('countersign.yaml:2'),
    expect.stringContaining('countersign.yaml:7 schedule "nightly": input.version is missing'),
    expect.stringContaining('"limits.costUsd" needs the price of openai:x'),
  ])
})

test.each(['models: { x: { price: { input: 1 } } }\n', 'model: { x: {} }\n'])(
  'a price that is missing because of the error in %s is not a second error',
  (models) => {
    const front = `limits: { costUsd: 1 }\n${schema}`
    expect(problems('{ version: "1" }', front, models)).toEqual([
      expect.stringContaining('countersign.yaml:2'),
    ])
  },
)
