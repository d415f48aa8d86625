import { expect, test } from 'vitest'
import { projectWith, policyOf, toolFile } from '#tools/custom/project.fixture.ts'
import { ToolProcesses } from './tool-processes.ts'
import { toolProblemsText } from './tool-problems-text.ts'

test('what does not load of a version is named with file and line, beside tools that do', async () => {
  await using project = await projectWith({
    'tools/a.ts': toolFile('a', ''),
    'tools/b.ts': 'const = 1',
    'tools/c.ts': 'export default 1',
  })
  const { projectDir, toolFiles } = project
  await using processes = new ToolProcesses({ projectDir, environment: {} })
  const problems = await processes.problemsOf({ ...policyOf('  a: {}'), toolFiles })
  const [what, ...lines] = toolProblemsText(problems)?.split('\n') ?? []
  expect(what).toBe(
    '2 tool files of the version in force do not load: calls of their tools are refused until they are corrected',
  )
  expect(lines.map((line) => line.slice(0, 13))).toEqual(['tools/b.ts:1:', 'tools/c.ts:1:'])
})

test('a file that hangs while it loads is a problem too, in less time than who asks waits for it', async () => {
  await using project = await projectWith({
    'tools/a.ts': toolFile('a', ''),
    'tools/b.ts': 'for (;;);\n',
  })
  const { projectDir, toolFiles } = project
  await using processes = new ToolProcesses({ projectDir, environment: {} })
  const problems = await processes.problemsOf({ ...policyOf('  a: {}'), toolFiles })
  expect(problems).toEqual([
    {
      file: 'tools/',
      line: null,
      problem: 'They have not loaded after 8 s: one of them may hang.',
      changed: false,
    },
  ])
})

test('versions with the same tool files share their processes, and others have their own', async () => {
  await using project = await projectWith({ 'tools/a.ts': toolFile('a', '') })
  const { projectDir, toolFiles } = project
  await using processes = new ToolProcesses({ projectDir, environment: {} })
  const saved = (text: string) => ({ ...policyOf('  a: {}'), digest: `sha256:${text}`, toolFiles })
  const first = await processes.of(saved('first'))
  expect(first).not.toBeNull()
  expect(await processes.of(saved('second'))).toBe(first)
  const changed = toolFiles.map(({ path }) => ({ path, hash: 'another' }))
  expect(await processes.of({ ...saved('third'), toolFiles: changed })).not.toBe(first)
  const config = { ...saved('fourth').config, name: { tokenFrom: 'OWN_SECRET' } }
  expect(await processes.of({ ...saved('fourth'), config })).not.toBe(first)
})

test('files that load, and those that were saved since, are no reason to say anything', () => {
  const problem = { file: 'tools/a.ts', line: null, problem: 'It has changed.', changed: true }
  expect(toolProblemsText([])).toBeNull()
  expect(toolProblemsText([problem])).toBeNull()
})
