import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { newToken } from '#services/access/token.ts'
import { CommandLine } from '../../cli/command-line.ts'
import { launchBrowser } from '../../harness/browser.ts'
import { HeldModel, type ModelStepInput, type HeldAnswer } from '../../harness/held-model.ts'
import { Installation } from '../../harness/installation/installation.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { phone } from '../open-dashboard.ts'

const run = promisify(execFile)
const sandbox = await findSandbox('bwrap')
const desktop = { width: 1280, height: 900 }
const hasNode = ['/usr/bin/node', '/usr/local/bin/node'].some((path) => existsSync(path))
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

const propertyTest = `import fc from 'fast-check'
import canonicalize from './lib/canonicalize.js'
fc.assert(fc.property(fc.jsonValue(), (value) => canonicalize(JSON.parse(canonicalize(value))) === canonicalize(value)))
console.log('1 passed')
`
const question = 'Where should the sentence stand?'
const sentence = 'Keys are sorted by their UTF-16 code units.'

/** The turns of an agent that writes a sentence. */
const turns: readonly HeldAnswer[] = [
  {
    text: 'I ask before I write.',
    calls: [{ tool: 'ask_person', input: { question, choices: ['README.md', 'CHANGES.md'] } }],
  },
  {
    text: 'I put it at the end of the README, **as you said**, and then run the tests.',
    hold: 'edit',
    calls: [{ tool: 'shell', input: { command: `printf '\\n%s\\n' '${sentence}' >> README.md` } }],
  },
  {
    text: 'I run the tests.',
    calls: [{ tool: 'exec', input: { file: 'node', args: ['test.js'] } }],
  },
  {
    text: 'They pass. I commit.',
    calls: [{ tool: 'shell', input: { command: 'git commit -qam "Say how keys are sorted"' } }],
  },
  {
    text: 'I merge.',
    calls: [{ tool: 'merge_branch', input: { message: 'Say how keys are sorted' } }],
  },
  { text: 'It is merged. Is there more?' },
  { text: 'It stands in the last line.' },
]
const answerTo = ({ turn }: ModelStepInput): HeldAnswer => turns[turn - 1] ?? { text: 'Done.' }

let installation: Installation
let browser: Browser
let model: HeldModel

const git = async (...words: string[]): Promise<string> => {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  return (await run('git', [...identity, ...words], { cwd: installation.folder })).stdout.trim()
}

/** A repository whose dependencies no commit has, as `init` proposes it, with another model. */
async function prepare(folder: string): Promise<void> {
  const inFolder = { cwd: folder }
  await cp(join(modules, 'canonicalize'), folder, { recursive: true })
  await writeFile(join(folder, 'test.js'), propertyTest)
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  await run('git', ['init', '-q', '-b', 'main'], inFolder)
  await run('git', ['add', '-A'], inFolder)
  await run('git', [...identity, 'commit', '-qm', 'Published'], inFolder)
  await mkdir(join(folder, 'node_modules'))
  for (const name of ['fast-check', 'pure-rand'])
    await cp(join(modules, name), join(folder, 'node_modules', name), { recursive: true })
  await new CommandLine(folder).ok('init')
  const file = join(folder, 'workers/assistant.md')
  const proposed = await readFile(file, 'utf8')
  await writeFile(
    file,
    proposed
      .replace('script:scripts/assistant.yaml', 'openai-compatible:held')
      .replace('conversation: false\n', '')
      .replace('  say_hello: {}\n', ''),
  )
}

async function open(email: string, viewport: { width: number; height: number }): Promise<Page> {
  const proof = newToken()
  const localStorage = [{ name: 'countersign-session', value: proof }]
  const page = await browser.newPage({
    viewport,
    storageState: { cookies: [], origins: [{ origin: installation.url, localStorage }] },
  })
  page.setDefaultTimeout(90_000)
  const token = (await readFile(join(installation.dataDir, 'run', 'dev-token'), 'utf8')).trim()
  await page.request.post(`${installation.url}/v1/auth/dev-login`, {
    data: { email, token },
    headers: { origin: installation.url, 'x-countersign-session': proof },
  })
  await page.goto(installation.url)
  return page
}

/** A colleague finds a request in the inbox on a phone, and approves it in the sheet. */
async function approveOnPhone(page: Page, words: string): Promise<void> {
  await page.goto(installation.url)
  await page.getByRole('link', { name: words }).first().click()
  await page.getByRole('button', { name: 'Decide…' }).click()
  const sheet = page.getByRole('dialog', { name: 'Your decision' })
  await sheet.getByText('Approve as shown').click()
  await sheet.getByRole('button', { name: 'Submit', exact: true }).click()
  await sheet.getByText('Approved by you').waitFor()
}

describe.skipIf(!sandbox.works || !hasNode)('a repository, with a browser only', () => {
  beforeAll(async () => {
    model = await HeldModel.start(answerTo)
    const env = { OPENAI_COMPATIBLE_BASE_URL: model.baseUrl, OPENAI_COMPATIBLE_API_KEY: 'held' }
    installation = await Installation.start({}, { env, prepare })
    browser = await launchBrowser()
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    await installation?.[Symbol.asyncDispose]()
    await model?.[Symbol.asyncDispose]()
  }, 240_000)

  // Rules: product.md 28, 30, 35, 36
  test('a run is started, asks, streams, is approved on a phone, commits, merges, and is talked to after a restart of everything', async () => {
    let page = await open('you@example.com', desktop)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).first().click()
    await page.getByRole('button', { name: 'New run', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor()
    await page.getByLabel('Worker', { exact: true }).selectOption('assistant')
    await page.getByLabel('Task').fill('Say how keys are sorted')
    await page.getByRole('region', { name: 'What it may do' }).waitFor()
    await page.getByRole('button', { name: 'Start run' }).click()
    await page.getByRole('heading', { level: 1, name: /Say how keys are sorted/ }).waitFor()

    await page.getByText(question).first().waitFor()
    const runUrl = page.url()
    await page.getByRole('button', { name: /^Answer #/ }).click()
    await page.getByRole('radio', { name: 'README.md' }).check()
    await page.getByRole('button', { name: 'Submit', exact: true }).click()
    await page.getByText('The agent reads your answer').first().waitFor()
    await page.getByText('answered by You').waitFor()
    expect(await page.getByText('approved by You').count()).toBe(0)

    await waitUntil(() => model.holds('edit') || 'no stream')
    const text = page.getByText('I put it at the end of the README')
    await text.waitFor()
    // It is not below the field for messages.
    const composer = page.locator('.composer')
    await expect
      .poll(async () => (await text.boundingBox())!.y < (await composer.boundingBox())!.y - 10)
      .toBe(true)
    expect(await page.getByText('and then run the tests').count()).toBe(0)
    model.release()
    await page.getByText('and then run the tests').waitFor()

    const mobile = await open('colleague@example.com', phone)
    await approveOnPhone(mobile, 'README.md')
    await approveOnPhone(mobile, 'test.js')
    await approveOnPhone(mobile, 'commit')
    await waitUntil(
      async () =>
        (await git('branch', '--list', '--format=%(subject)')).includes('Say how') || 'no commit',
    )
    expect(await readFile(join(installation.folder, 'README.md'), 'utf8')).not.toContain(sentence)
    await approveOnPhone(mobile, 'Merge')
    await page.getByText('It is merged. Is there more?').waitFor()
    expect(await readFile(join(installation.folder, 'README.md'), 'utf8')).toContain(sentence)
    expect(await git('log', '--first-parent', '--format=%s', 'main')).toBe(
      'Say how keys are sorted\nPublished',
    )

    const runPath = new URL(runUrl).pathname
    await installation.restart()
    page = await open('you@example.com', desktop)
    await page.goto(installation.url + runPath)
    await page.getByText('It is merged. Is there more?').waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('Where does it stand?')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('It stands in the last line.').waitFor()
    await page.getByRole('button', { name: 'Close the run' }).click()
    await page.locator('.state-badge-completed').first().waitFor()
  }, 600_000)
})
