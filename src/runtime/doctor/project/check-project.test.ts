import { beforeEach, expect, test } from 'vitest'
import { fixtureFiles } from '#test/harness/fixtures/project.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { checkProject } from './check-project.ts'
import { targetIn } from './check-target.fixture.ts'
import type { Finding } from '../target/check.ts'
import { putFile, putFiles } from '#test/harness/put-file.ts'

let projectDir: string
beforeEach(() => {
  projectDir = newFolder('countersign doctor ')
  putFiles(projectDir, fixtureFiles.texts)
})

const put = (path: string, text: string): void => putFile(projectDir, path, text)

const findings = (environment: Record<string, string>): Promise<Finding[]> =>
  checkProject(targetIn(projectDir, environment))

const config = (fixtureFiles.texts.get('countersign.yaml') ?? '').replace(
  '{ team: security',
  '{ team: security, selfApproval: true',
)
const production = { COUNTERSIGN_PRODUCTION: '1' }

test('in production doctor points out that nobody, or nobody else, could put a later version into force', async () => {
  expect(await findings(production)).toContainEqual(
    expect.objectContaining({
      state: 'warning',
      found: expect.stringContaining('nobody holds the right activatePolicy'),
    }),
  )
  put('countersign.yaml', `${config}  activatePolicy: [security]\n`)
  expect(await findings(production)).toContainEqual(
    expect.objectContaining({ found: expect.stringContaining('only one person holds') }),
  )
  put('countersign.yaml', `${config}  activatePolicy: [security, ada@example.com]\n`)
  expect((await findings(production)).map((one) => one.state)).toEqual(['ok'])
  put('countersign.yaml', config)
  expect((await findings({})).map((one) => one.state)).toEqual(['ok'])
})

test('each mistake of an invalid folder is a problem with file, line and remedy', async () => {
  put('countersign.yaml', config.replace('rights:', 'right:'))
  expect(await findings({})).toEqual([
    {
      check: 'project',
      state: 'problem',
      found: 'countersign.yaml:13: unknown key "right"',
      remedy: 'did you mean "rights"?',
    },
  ])
})
