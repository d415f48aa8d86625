import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { recordModules } from './modules/record-modules.ts'
import { projectWith, toolFile } from './project.fixture.ts'
import { openToolProcess } from './tool-process.ts'
import type { LoadedTools } from './tool-protocol.ts'

const within = { timeoutMs: 20_000, signal: null }
const run = (tool: string) =>
  ({ do: 'execute', tool, input: { text: '' }, idempotencyKey: 'key' }) as const

type Project = Awaited<ReturnType<typeof projectWith>>

/** The next start of a tool process of the same version, whatever lies in the folder by now. */
function restarted({ projectDir, toolFiles, environment }: Project) {
  return openToolProcess({ projectDir, toolFiles, environment })
}

async function loadedAnew(project: Project): Promise<LoadedTools> {
  await using anew = await restarted(project)
  return await anew.describe()
}

const packed = {
  'tools/a.ts': `import value from 'pack'\n${toolFile('a', 'return value.answer()')}`,
  'node_modules/pack/package.json': '{"name":"pack","main":"lib/index.js"}',
  'node_modules/pack/lib/index.js':
    'const { deep } = require("deep"); exports.answer = () => [deep, require("./late.js"), require("../data.json").data]',
  'node_modules/pack/lib/late.js': 'module.exports = "late"',
  'node_modules/pack/lib/other.js': 'exports.answer = () => "other"',
  'node_modules/pack/data.json': '{"data":"data"}',
  'node_modules/deep/package.json': '{"name":"deep","exports":{"require":"./c.cjs"}}',
  'node_modules/deep/c.cjs': 'exports.deep = "deep"',
}
packed['node_modules/pack/package.json'] =
  '{"name":"pack","main":"lib/index.js","dependencies":{"deep":"1"}}'

// Rules: security.md 36
describe('a module that a tool loads from packages', () => {
  it.each([
    ['the code of a package', 'node_modules/pack/lib/index.js', 'exports.answer = () => "evil"'],
    ['what it depends on', 'node_modules/deep/c.cjs', 'exports.deep = "evil"'],
    ['its package.json', 'node_modules/pack/package.json', '{"main":"lib/other.js"}'],
    ['a file beside it', 'node_modules/pack/evil.js', 'evil'],
    ['data that is read late', 'node_modules/pack/data.json', '{"data":"evil"}'],
    ['a package in front of it', 'tools/node_modules/pack/index.js', 'exports.answer = () => 1'],
    [
      'a package inside of it',
      'node_modules/pack/node_modules/deep/index.js',
      'exports.deep = "evil"',
    ],
  ])('is what the version recorded: %s is not run once it is changed', async (_, at, bytes) => {
    await using project = await projectWith(packed)
    const { toolProcess } = project
    expect(await toolProcess.request(run('a'), within)).toMatchObject({
      output: ['deep', 'late', 'data'],
    })
    project.put(at, bytes)
    const { tools, problems } = await loadedAnew(project)
    expect(tools).toEqual([])
    expect(problems).toMatchObject([{ changed: true }])
    expect(problems[0]?.problem).toMatch(
      /is not (the one|part) of the policy version.*activate the project again/s,
    )
  })

  it('is refused when it is loaded late, and the sentence names the file', async () => {
    await using project = await projectWith({
      ...packed,
      'tools/a.ts': `import { createRequire } from 'node:module'
const late = createRequire(import.meta.url)
${toolFile('a', "return [late('pack').answer(), (await import('deep')).deep]")}`,
    })
    await using anew = await restarted(project)
    await anew.describe()
    project.put('node_modules/deep/c.cjs', 'exports.deep = "evil"')
    const sentence = { type: 'error', problem: expect.stringMatching(/node_modules\/deep\/c\.cjs/) }
    expect(await anew.request(run('a'), within)).toMatchObject(sentence)
  })

  it('is loaded as Node itself would: JSON, ES modules, threads, links and imports of package.json', async () => {
    await using project = await projectWith({
      'package.json': '{"imports":{"#own":"esm"}}',
      'tools/a.ts': `import esm, { fromJson } from '#own'
import linked from 'linked'
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import data from './data.json' with { type: 'json' }
${toolFile(
  'a',
  `const thread = new Worker(new URL('lib/thread.ts', import.meta.url))
  const [said] = await once(thread, 'message')
  return [esm, fromJson, linked, data.a, said]`,
)}`,
      'tools/data.json': '{"a":1}',
      'tools/lib/thread.ts': `import esm from 'esm'\nimport { parentPort } from 'node:worker_threads'\nparentPort!.postMessage('thread ' + esm)`,
      'node_modules/esm/package.json': '{"name":"esm","type":"module","exports":"./i.js"}',
      'node_modules/esm/i.js':
        'import d from "./d.json" with { type: "json" }; export const fromJson = d.d; export default "esm"',
      'node_modules/esm/d.json': '{"d":"json"}',
      'libs/linked/package.json': '{"name":"linked"}',
      'libs/linked/index.js': 'module.exports = "linked"',
    })
    symlinkSync('../libs/linked', path.join(project.projectDir, 'node_modules/linked'))
    const own = project.toolFiles.filter((file) => file.path.startsWith('tools/'))
    const modules = recordModules(
      project.projectDir,
      own.map((file) => file.path),
    )
    expect(modules.map((file) => file.path).toSorted()).toEqual([
      'libs/linked/',
      'node_modules/esm/',
      'package.json',
    ])
    const recorded = { ...project, toolFiles: [...own, ...modules] }
    await using first = await restarted(recorded)
    expect((await first.describe()).problems).toEqual([])
    expect(await first.request(run('a'), within)).toMatchObject({
      output: ['esm', 'json', 'linked', 1, 'thread esm'],
    })
    project.put('libs/linked/index.js', 'module.exports = "evil"')
    expect((await loadedAnew(recorded)).problems).toMatchObject([{ changed: true }])
    project.put('libs/linked/index.js', 'module.exports = "linked"')
    project.put('package.json', '{"imports":{"#own":"linked"}}')
    expect((await loadedAnew(recorded)).problems).toMatchObject([
      { file: 'package.json', changed: true },
    ])
    project.put('package.json', '{"version":"2.0.0","imports":{"#own":"esm"}}')
    expect((await loadedAnew(recorded)).problems).toEqual([])
  })

  it('in a thread that a tool starts is the recorded one, too', async () => {
    await using project = await projectWith({
      ...packed,
      'tools/a.ts': `import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
${toolFile(
  'a',
  `const thread = new Worker(new URL('lib/thread.ts', import.meta.url))
  return (await once(thread, 'message'))[0]`,
)}`,
      'tools/lib/thread.ts': `import { parentPort } from 'node:worker_threads'\nimport pack from 'pack'\nparentPort!.postMessage(pack.answer())`,
    })
    project.put('node_modules/pack/lib/index.js', 'exports.answer = () => "evil"')
    await using anew = await restarted(project)
    expect(await anew.request(run('a'), within)).toMatchObject({
      type: 'error',
      problem: expect.stringMatching(/node_modules\/pack\/ on this host is not the one/),
    })
  })

  it('that no file names is refused, and code that can do without it continues', async () => {
    await using project = await projectWith({
      'tools/a.ts': toolFile('a', "return (await import(['un', 'named'].join(''))).default"),
      'tools/b.ts': `import value from 'trying'\n${toolFile('b', 'return value')}`,
      'node_modules/unnamed/index.js': 'module.exports = 1',
      'node_modules/trying/index.js':
        'try { module.exports = require("unnamed") } catch (e) { module.exports = e.code }',
    })
    expect(await project.toolProcess.request(run('a'), within)).toMatchObject({
      type: 'error',
      problem: expect.stringMatching(
        /node_modules\/unnamed\/index\.js is not part of the policy version.*names in quotes/,
      ),
    })
    expect(await project.toolProcess.request(run('b'), within)).toMatchObject({
      output: 'MODULE_NOT_FOUND',
    })
  })

  it('is never reached by a link that was redirected, or replaced by another package', async () => {
    await using project = await projectWith(packed)
    const at = (name: string): string => path.join(project.projectDir, 'node_modules', name)
    renameSync(at('pack'), at('away'))
    symlinkSync('away', at('pack'))
    expect((await loadedAnew(project)).problems).toMatchObject([{ changed: true }])
    rmSync(at('pack'))
    mkdirSync(at('pack'))
    writeFileSync(path.join(at('pack'), 'index.js'), 'exports.answer = () => "evil"')
    expect((await loadedAnew(project)).problems).toMatchObject([{ changed: true }])
  })

  it('is not chosen by the environment', async () => {
    const evil = 'globalThis.evil = true'
    await using project = await projectWith(
      {
        'tools/a.ts': toolFile('a', 'return globalThis.evil ?? null'),
        'evil.cjs': evil,
        'elsewhere/pack/index.js': evil,
      },
      { NODE_OPTIONS: '--require ./evil.cjs', NODE_PATH: 'elsewhere', NODE_V8_COVERAGE: 'x' },
    )
    expect(await project.toolProcess.request(run('a'), within)).toMatchObject({ output: null })
  })
})

// Rules: security.md 36
describe('a native addon', () => {
  const at = '../../../node_modules/@oxc-resolver/binding-linux-x64-gnu/resolver.linux-x64-gnu.node'
  const addon = fileURLToPath(new URL(at, import.meta.url))

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'is opened with the recorded bytes, and with no others',
    async () => {
      const files = {
        'tools/a.ts': `import { createRequire } from 'node:module'
const late = createRequire(import.meta.url)
${toolFile('a', "return Object.keys(late('native')).length > 0")}`,
        'node_modules/native/package.json': '{"name":"native","main":"n.node"}',
      }
      await using project = await projectWith(files)
      copyFileSync(addon, path.join(project.projectDir, 'node_modules/native/n.node'))
      const own = project.toolFiles.filter((file) => file.path.startsWith('tools/'))
      const toolFiles = [...own, ...recordModules(project.projectDir, ['tools/a.ts'])]
      await using anew = await restarted({ ...project, toolFiles })
      expect(await anew.request(run('a'), within)).toMatchObject({ output: true })
      project.put('node_modules/native/n.node', 'evil')
      await using changed = await restarted({ ...project, toolFiles })
      expect(await changed.request(run('a'), within)).toMatchObject({
        type: 'error',
        problem: expect.stringMatching(
          /n\.node is not loaded: node_modules\/native\/ on this host/,
        ),
      })
    },
  )
})
