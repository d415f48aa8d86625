import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { checkFolder } from './start.ts'

const config = `version: 1
teams: { platform: { members: [ada@example.com, grace@example.com] } }
queues: { platform: { team: platform } }
defaults: { queue: platform }
`
let folder: string
let lines: string[]
beforeEach(() => {
  folder = newFolder('started folder-')
  lines = []
})

const put = (name: string, text: string): void => writeFileSync(path.join(folder, name), text)
const check = async (project = folder, environment = {}): Promise<string | null> =>
  checkFolder({ project }, environment, (line) => lines.push(line)).then(
    () => null,
    (error: unknown) => (error as Error).message,
  )

test('every error of the folder is printed, and nothing is started or made in it', async () => {
  put('countersign.yaml', `${config.replace('team: platform', 'team: platfrm')}rigths: {}\n`)
  expect(await check()).toBe(`2 errors in ${folder}: nothing was started.`)
  expect(lines).toEqual([
    expect.stringContaining('countersign.yaml:3  error  "queues.platform.team" names the team'),
    expect.stringContaining(
      'countersign.yaml:5  error  unknown key "rigths"; did you mean "rights"?',
    ),
  ])
  expect(readdirSync(folder)).toEqual(['countersign.yaml'])
})

test('a folder with warnings only is started, and they are printed', async () => {
  put('countersign.yaml', config.replace(', grace@example.com', ''))
  expect(await check()).toBeNull()
  expect(lines).toEqual([expect.stringMatching(/warning {2}queue "platform" reaches ada@example/)])
})

test('a workspace that is missing, or cannot have worktrees, does not prevent the start, which says what will not work', async () => {
  for (const [keys, problem] of [
    ['root: ./none', 'the root of workspace "default", ./none, is not a folder'],
    ['root: ., isolation: worktree', 'the workspace "default" can have no worktrees'],
  ] as const) {
    lines = []
    put('countersign.yaml', `${config}workspaces: { default: { ${keys} } }\n`)
    expect(await check(), keys).toBeNull()
    expect(lines).toEqual([
      expect.stringContaining(`countersign.yaml:5  warning  ${problem}`),
      'The service starts. No run starts in a workspace whose folder cannot be used.',
    ])
  }
})

test('a folder that is not there, and one whose configuration has another name, is not the example', async () => {
  const missing = path.join(folder, 'shpo')
  expect(await check(missing)).toBe(
    `There is no folder ${missing}: make it, or name another with --project.`,
  )
  expect(await check()).toBeNull()
  put('countersign.yml', config)
  expect(await check()).toBe(
    `${folder} has no countersign.yaml: rename countersign.yml to countersign.yaml.`,
  )
  expect(readdirSync(folder)).toEqual(['countersign.yml'])
})

test('in production the version in force counts: an invalid folder is left to the API, which reads it at the first start only', async () => {
  put('countersign.yaml', 'nonsense')
  expect(await check(folder, { COUNTERSIGN_PRODUCTION: '1' })).toBeNull()
  expect(lines).toEqual([])
})
