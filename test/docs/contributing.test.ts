import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../harness/new-folder.ts'
import { checkout } from './documents.ts'

/**
 * What a declared tool does, in the words of an author who has read nothing but CONTRIBUTING.md.
 */
const declaration = `  append_file: {
    givenBy: 'zones',
    operations: ['write'],
    consent: 'zones',
    risk: 'medium',
    notice: 'title',
  },
`
const implementation = `import { z } from 'zod'
import { makePresentation } from '../presentations/make-presentation.ts'
import { defineBuiltIn } from '../definition/define-built-in.ts'
import { filePath } from '../definition/path-field.ts'

const schema = z.strictObject({ path: filePath('Path of the file.'), content: z.string() })

export const appendFile = defineBuiltIn({
  name: 'append_file',
  description: 'Append text to a file. It is the last line of it then.',
  schema,
  readOnly: false,
  scopes: ['once'],
  accesses: ({ path }) => [{ operation: 'write', path, target: 'file' }],
  async present({ path, content }, { toolHash }) {
    const shown = { type: 'text', language: null, content, metadata: { path }, warnings: [] } as const
    return {
      title: \`Append to \${path}\`,
      presentation: makePresentation(shown),
      facts: { toolHash, bases: [] },
      content: Buffer.from(content),
      contentType: 'text/plain',
    }
  },
  async execute({ path, content }, { workspace }) {
    const before = await workspace.read(path, { maxBytes: 1024 })
    const { hash = '' } = await workspace.state(path, { hash: true })
    await workspace.write(path, Buffer.concat([before, Buffer.from(content)]), hash)
    return { type: 'output', output: { path }, text: \`Appended to \${path}.\` }
  },
})
`

/** A project that speaks of the tool in every way that \`check\` has a word for. */
const project: Readonly<Record<string, string>> = {
  'countersign.yaml': `version: 1
teams:
  platform: { members: [ada@example.com, grace@example.com] }
  security: { members: [edsger@example.com, linus@example.com] }
queues: { platform: { team: platform }, security: { team: security } }
defaults: { queue: platform }
routing:
  - { when: { tool: append_file }, queue: security }
  - { when: { tool: apend_file }, queue: security }
`,
  'script.yaml': 'turns: []\n',
  'workers/scribe.md': `---
model: script:./script.yaml
zones: [{ name: all, root: ., mode: rw }]
tools: { append_file: { approval: preApproved } }
---
Write.
`,
  'workers/bare.md': `---
model: script:./script.yaml
tools: { append_file: {} }
---
Write.
`,
}

/** What the copy's own modules make of the tool; run in a process of its own. */
const questions = `
const from = (path) => import(process.argv[1] + '/src/' + path)
const { readFile } = await import('node:fs/promises')
const { openWorkspace } = await from('sandbox/workspace.ts')
const { parseProject } = await from('policy/project/parse-project.ts')
const { possibleRoutes } = await from('policy/judge/routing/possible-routes.ts')
const { judge } = await from('policy/judge/judge.ts')
const { buildRegistry } = await from('tools/registry.ts')
const { workerDetailView } = await from('api/views/worker-view.ts')
const { noticeOf } = await from('ui/notices/notice-of.ts')
const names = ['countersign.yaml', 'script.yaml', 'workers/scribe.md']
const texts = new Map()
for (const name of names) texts.set(name, await readFile(name, 'utf8'))
const { policy } = parseProject({ texts, toolFiles: [] })
const scribe = policy.workers.get('scribe')
const registry = await buildRegistry({ policy, worker: 'scribe', toolProcess: null })
const call = { tool: 'append_file', input: { path: 'a.md', content: 'x' } }
const judged = await judge({
  ...call, policy, registry, worker: 'scribe', runMode: 'prompt', projectDir: '/elsewhere',
  workspace: await openWorkspace({ root: process.cwd(), hidden: [] }),
  duplicateId: false, byPerson: false, findGrant: async () => null,
})
console.log(JSON.stringify({
  routes: possibleRoutes(policy, scribe).filter((one) => one.tool === 'append_file').map((one) => one.queue),
  verdict: [judged.verdict, judged.rule?.id, judged.risk, judged.routing?.queue],
  shownTools: workerDetailView(policy, scribe, [], { lines: [], queues: [], refusal: null }).tools,
  notice: noticeOf({
    id: '1', number: 1, state: 'pending', kind: 'tool_call', tool: 'append_file', title: 'Append to a.md',
    risk: 'medium', queue: 'security', eligibility: { canDecide: true, reason: null },
  }).title,
}))
`

const folder = newFolder('countersign contributing ')
const copy = join(folder, 'checkout')
await mkdir(copy)
const parts = ['bin', 'CONTRIBUTING.md', 'docs', 'package.json', 'schemas', 'scripts', 'src']
for (const part of [...parts, '.oxfmtrc.json', 'tsconfig.base.json']) {
  await cp(join(checkout, part), join(copy, part), { recursive: true })
}
for (const folder of ['node_modules', 'packages']) {
  await symlink(join(checkout, folder), join(copy, folder))
}
for (const [path, text] of Object.entries(project)) {
  await mkdir(join(folder, 'project', 'workers'), { recursive: true })
  await writeFile(join(folder, 'project', path), text)
}

interface Ended {
  readonly code: number
  readonly out: string
}

function run(cwd: string, program: string, ...args: readonly string[]): Promise<Ended> {
  const path = [join(checkout, 'node_modules', '.bin'), process.env['PATH']].join(delimiter)
  const options = { cwd, env: { ...process.env, PATH: path } }
  return new Promise((resolve) => {
    execFile(program, args, options, (error, out, err) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1
      resolve({ code, out: `${out}${err}` })
    })
  })
}

/** Puts text before the first place of a mark in a file of the copy. */
async function insert(path: string, mark: string, text: string): Promise<void> {
  const file = join(copy, path)
  const before = await readFile(file, 'utf8')
  expect(before).toContain(mark)
  await writeFile(
    file,
    before.replace(mark, () => `${text}${mark}`),
  )
}

/** Checks the types of the tools, and of what they stand on. */
async function compile(): Promise<Ended> {
  const files = ['src/tools/registry.ts', 'src/policy/judge/routing/possible-routes.ts']
  const types = { types: ['node'] }
  const settings = { extends: './tsconfig.base.json', compilerOptions: types, files }
  await writeFile(join(copy, 'tsconfig.tools.json'), JSON.stringify(settings))
  return run(copy, 'tsc', '-p', 'tsconfig.tools.json')
}

/** The paragraph on built-in tools: its numbered steps, and what stands in quotes in each. */
async function steps(): Promise<string[][]> {
  const text = await readFile(join(copy, 'CONTRIBUTING.md'), 'utf8')
  const [paragraph = ''] = /\*\*A built-in tool\.\*\*[\s\S]*?\n\n/.exec(text) ?? []
  return paragraph
    .split(/\n(?=\d\. )/)
    .slice(1)
    .map((step) => [...step.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted))
}

test('a tool that is added by the steps of CONTRIBUTING.md, and no other, is known everywhere', async () => {
  const [declare, write, make, commands, ...more] = await steps()
  expect(more).toEqual([])

  expect(declare).toContain('src/domain/tools/built-in-tools.ts')
  await insert('src/domain/tools/built-in-tools.ts', '} as const satisfies', declaration)
  const unmade = await compile()
  expect(unmade.out).toMatch(/built-in\.ts.*Property 'append_file' is missing/s)

  expect(write).toEqual(expect.arrayContaining(['src/tools', 'defineBuiltIn']))
  await writeFile(join(copy, 'src/tools/files/append-file.ts'), implementation)
  expect(make).toEqual(['src/tools/built-in.ts'])
  const imported = `import { appendFile } from './files/append-file.ts'\n`
  await insert('src/tools/built-in.ts', 'import { deleteFile }', imported)
  await insert('src/tools/built-in.ts', '  read_file:', '  append_file: () => appendFile,\n')

  expect(await compile()).toEqual({ code: 0, out: '' })
  const programs = commands?.filter((quoted) => quoted.includes(' ')) ?? []
  expect(programs).toHaveLength(2)
  for (const command of programs) {
    const [program = '', ...args] = command.split(' ')
    expect(await run(copy, program, ...args)).toMatchObject({ code: 0 })
  }

  const inProject = join(folder, 'project')
  const checked = await run(inProject, process.execPath, join(copy, 'bin/countersign'), 'check')
  expect(checked.out).toContain('did you mean "append_file"?')
  expect(checked.out).toContain('"append_file" is pre-approved by its zones alone')
  expect(checked.out).toContain('does not have the tool "append_file": it needs "zones"')
  expect(checked.out).not.toContain('no file in tools/ defines')
  expect(checked.out).not.toContain('no tool is called "append_file"')

  const result = await run(
    inProject,
    process.execPath,
    '--input-type=module',
    '--eval',
    questions,
    copy,
  )
  expect(result.out).toMatch(/^{/)
  expect(JSON.parse(result.out)).toEqual({
    routes: ['security'],
    verdict: ['ask', 'zone:all.write', 'medium', 'security'],
    shownTools: expect.arrayContaining(['append_file']),
    notice: 'Append to a.md',
  })

  expect(await readFile(join(copy, 'docs/tools.md'), 'utf8')).toContain(
    '| `append_file` | `path`, `content` | Append text to a file | `zones` | zones: `write` | medium |',
  )
  const schema = await readFile(join(copy, 'schemas/worker.schema.json'), 'utf8')
  expect(schema).toMatch(/"description": "what it may touch, by [^"]*append_file/)
}, 900_000)
