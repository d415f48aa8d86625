import { existsSync } from 'node:fs'
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProgram } from '#cli/program.ts'
import { auditEventTypes } from '#domain/audit-event.ts'
import { problemStatus } from '#domain/problem.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import { readProject } from '#services/policy/read-project.ts'
import { loadToolDescriptions } from '#tools/custom/load-tool-descriptions.ts'
import { shortcuts } from '#ui/keyboard/shortcuts.ts'
import { createTestApi } from '../api/test-api.ts'
import { checkout, commandsIn, readDocument, userDocuments, type Document } from './documents.ts'
import { commandsOf, problemOfCommand } from './parse-command.ts'
import { newFolder } from '../harness/new-folder.ts'

const documents = await userDocuments()

/** Relative links of a page to files that do not exist. */
function brokenLinksOf({ path, prose }: Document): string[] {
  const links = [...prose.matchAll(/\]\((?<to>[^)\s]+)\)/g)].map(
    ({ groups }) => groups?.['to'] ?? '',
  )
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => link.split('#')[0] ?? '')
    .filter((link) => link !== '' && !existsSync(join(checkout, dirname(path), link)))
}

describe.each(documents)('$path', (document) => {
  test('has links that lead somewhere', () => {
    expect(brokenLinksOf(document)).toEqual([])
  })

  test('has commands that the program takes', async () => {
    const problems = await Promise.all(commandsIn(document).map(problemOfCommand))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  test('is at most 200 lines', () => {
    expect(document.text.split('\n').length).toBeLessThanOrEqual(201)
  })
})

test('the page of the engine names files that there are', async () => {
  const page = await readDocument('src/services/engine/README.md')
  expect(brokenLinksOf(page)).toEqual([])
  expect(page.prose).toContain('(turns/take-turn.ts)')
})

test('the set-up of the README is two lines, each of which is enough on a new machine', async () => {
  const [setUp = ''] = (await readDocument('README.md')).text.match(/^```\n[^`]+^```$/m) ?? []
  const commands = setUp.split('\n').slice(1, -1)
  expect(commands.map((line) => line.split('#', 1)[0]?.trim())).toEqual([
    'npm ci && npm start',
    'npm ci && npm test',
  ])
})

test('every page is in the index, and the index is linked from the README', async () => {
  const index = (await readDocument('docs/README.md')).text
  const names = documents.map(({ path }) => path).filter((path) => /^docs\/(?!README)/.test(path))
  expect(names.filter((path) => !index.includes(`(${path.slice('docs/'.length)})`))).toEqual([])
  expect((await readDocument('README.md')).text).toContain('(docs/README.md)')
})

test('configuration.md has examples that are valid together', async () => {
  const { fences } = await readDocument('docs/configuration.md')
  const texts = new Map([['scripts/played.yaml', '']])
  for (const { language, text } of fences) {
    if (language === 'yaml' && text.startsWith('version:')) texts.set('countersign.yaml', text)
    if (language === 'yaml' && text.startsWith('turns:')) texts.set('scripts/played.yaml', text)
    if (language !== 'markdown') continue
    const [, name = ''] = /^name: (\S+)$/m.exec(text) ?? []
    texts.set(`workers/${name}.md`, text)
    texts.set('workers/played.md', '---\nmodel: script:./scripts/played.yaml\n---\nPlay.\n')
  }
  expect([...texts.keys()]).toHaveLength(4)
  expect(parseProject({ texts, toolFiles: [] })).toHaveProperty('policy')
})

test('tools.md has tools that load', async () => {
  const { fences } = await readDocument('docs/tools.md')
  const folder = newFolder('countersign docs ')
  await mkdir(join(folder, 'tools'))
  const tools = fences.filter(({ language }) => language === 'ts')
  await Promise.all(
    tools.map(({ text }, index) => writeFile(join(folder, 'tools', `tool-${index}.ts`), text)),
  )
  await writeFile(join(folder, 'countersign.yaml'), 'version: 1\n')
  const read = await readProject(folder)
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  const loaded = await loadToolDescriptions({
    projectDir: folder,
    toolFiles: read.files.toolFiles,
    environment: process.env,
  })
  expect(loaded.problems).toEqual([])
  expect(loaded.tools.map((tool) => tool.name).toSorted()).toEqual(['add', 'slack_notify'])
})

test('api.md has every route of the contract, and no other', async () => {
  const { text } = await readDocument('docs/api.md')
  const written = [...text.matchAll(/`(GET|POST|PUT|DELETE) (\/[\w/:.-]+)`/g)].map(
    ([, method = '', path = '']) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  )
  await using api = await createTestApi()
  const { paths } = (await api.ask('/openapi.json')).body as {
    paths: Record<string, object>
  }
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const more = ['GET /openapi.json']
  expect([...new Set(written)].toSorted()).toEqual([...served, ...more].toSorted())
})

test('errors.md has every error code with its status, and no other', async () => {
  const { text } = await readDocument('docs/errors.md')
  const rows = [...text.matchAll(/^\| (?<status>\d{3}) \| (?<codes>[^|]+) \| [^|]+ \| [^|]+ \|$/gm)]
  const written = rows.flatMap(({ groups }) =>
    [...(groups?.['codes'] ?? '').matchAll(/`(\w+)`/g)].map(
      ([, code = '']) => `${code} ${groups?.['status']}`,
    ),
  )
  const catalogue = Object.entries(problemStatus).map((entry) => entry.join(' '))
  expect(written.toSorted()).toEqual(catalogue.toSorted())
})

test('audit.md has every type of event, and no other', async () => {
  const { text } = await readDocument('docs/audit.md')
  const table = text.slice(text.indexOf('## Types'), text.indexOf('## Reading'))
  const written = [...table.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, type = '']) => type)
  expect([...new Set(written)].toSorted()).toEqual([...auditEventTypes].toSorted())
})

/** Variables that the processes set for each other. */
const internal = /^COUNTERSIGN_(?:EMBEDDED|LIFELINE|USER|PASSWORD)$/

test('the pages name every variable COUNTERSIGN_… that the sources read', async () => {
  const named = (text: string): string[] => text.match(/\bCOUNTERSIGN_[A-Z_]*[A-Z]\b/g) ?? []
  const documented = new Set(documents.flatMap(({ text }) => named(text)))
  const read: string[] = []
  for await (const path of glob('{src,packages/*/src}/**/*.{ts,py}', { cwd: checkout })) {
    if (!/\.test\.|fixture/.test(path))
      read.push(...named(await readFile(join(checkout, path), 'utf8')))
  }
  expect(read.length).toBeGreaterThan(50)
  expect(read.filter((name) => !documented.has(name) && !internal.test(name))).toEqual([])
})

test('accessibility.md has every key of the dashboard', async () => {
  const { text } = await readDocument('docs/accessibility.md')
  const keys = Object.values(shortcuts).map(({ key }) =>
    key.length === 1 ? key.toUpperCase() : key,
  )
  expect(keys.filter((key) => !new RegExp(`\`(?:[^\`]*\\+)?\\${key}\``).test(text))).toEqual([])
})

test('the help of every command says what it does, and its examples parse', async () => {
  for (const { path, command } of commandsOf(createProgram())) {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    expect(command.description(), path).not.toBe('')
    const examples = help
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('countersign '))
    const problems = await Promise.all(examples.map(problemOfCommand))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
    expect(examples.length > 0 || command.commands.length > 0 || isServer(path), path).toBe(true)
  }
})

test('cli.md names every command', async () => {
  const { text } = await readDocument('docs/cli.md')
  const names = createProgram().commands.map((command) => command.name())
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
})

function isServer(path: string): boolean {
  return ['api', 'temporal-worker', 'migrate'].includes(path)
}
