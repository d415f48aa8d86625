import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { newToken } from '#services/access/token.ts'
import { launchBrowser } from '../../harness/browser.ts'
import { Installation } from '../../harness/installation/installation.ts'
import type { TestSession } from '../../harness/installation/test-session.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { editCall } from '../../harness/fixtures/runs/file-calls.ts'

const run = promisify(execFile)
const sandbox = await findSandbox('bwrap')

const exec = (file: string, ...args: string[]) => ({ tool: 'exec', input: { file, args } })

/**
 * An agent's day: it looks around, changes two files, runs the tests twice, commits, and wants to
 * push.
 */
const script = {
  turns: [
    {
      text: 'I look around.',
      calls: [
        { tool: 'read_file', input: { path: 'greet.sh' } },
        { tool: 'search_files', input: { pattern: 'Hello', path: '.', glob: '**/*.md' } },
        exec('git', 'log', '--oneline'),
      ],
    },
    {
      text: 'I greet the world, here and in the README.',
      calls: [
        editCall('greet.sh', 'Hello', 'Hello, world'),
        editCall('README.md', 'Hello', 'Hello, world'),
      ],
    },
    { text: 'I run the tests.', calls: [exec('sh', 'test.sh')] },
    {
      text: 'Once more, and then I commit.',
      calls: [
        exec('sh', 'test.sh'),
        {
          tool: 'shell',
          input: { command: 'git add greet.sh README.md && git commit -m "Greet the world"' },
        },
      ],
    },
    { text: 'I push.', calls: [exec('git', 'push', 'origin', 'main')] },
    { text: 'It is committed; nobody wants it pushed.' },
  ],
}

const project = {
  'countersign.yaml': `version: 1
people: [{ email: ada@example.com, name: Ada }]
teams: { platform: { members: [grace@example.com] } }
queues: { platform: { team: platform } }
defaults: { queue: platform }
`,
  'workers/developer.md': `---
name: developer
description: Works on a repository
model: script:scripts/day.yaml
zones:
  - { name: repo, root: ., mode: rw, approval: { read: preApproved, write: ask } }
sandbox: { required: true, network: none }
shell:
  default: ask
  rules:
    - { pattern: git log, approval: preApproved }
---
Do your work.
`,
  'scripts/day.yaml': JSON.stringify(script),
  '.gitignore': '.countersign\n',
  'greet.sh': 'echo "Hello"\n',
  'README.md': '# Greeter\n\nIt says Hello.\n',
  'test.sh': 'test "$(sh greet.sh)" = "Hello, world" && echo "1 passed"\n',
}

let installation: Installation
let browser: Browser
let ada: TestSession

const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: installation.folder })).stdout

/** The page of the run's request whose title has these words, once it waits. */
async function openRequest(page: Page, runId: string, title: string): Promise<void> {
  let id = ''
  const grace = await installation.signIn('grace@example.com')
  await waitUntil(async () => {
    const { body } = await grace.get(`/v1/requests?state=pending&runId=${runId}`)
    const items = body['items'] as { id: string; title: string }[]
    id = items.find((item) => item.title.includes(title))?.id ?? ''
    return id !== '' || `nothing about ${title} in ${JSON.stringify(items)}`
  })
  await page.goto(`${installation.url}/requests/${id}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

async function decide(page: Page, choice: string, then: () => Promise<void>): Promise<void> {
  await page.getByRole('radio', { name: choice, exact: true }).check()
  await then()
  await page.getByRole('button', { name: 'Submit', exact: true }).click()
  await page.getByText(choice.startsWith('Deny') ? 'Denied by you' : 'Approved by you').waitFor()
}

const asItIs = async (): Promise<void> => undefined

describe.skipIf(!sandbox.works)('a day of real work in a git repository', () => {
  beforeAll(async () => {
    installation = await Installation.start(project)
    await git('init', '-q', '-b', 'main')
    await git('config', 'user.name', 'Agent')
    await git('config', 'user.email', 'agent@example.com')
    await git('add', '-A')
    await git('commit', '-q', '-m', 'Begin')
    await git('init', '-q', '--bare', 'upstream')
    await git('remote', 'add', 'origin', 'upstream')
    browser = await launchBrowser()
    ada = await installation.signIn('ada@example.com')
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    await installation?.[Symbol.asyncDispose]()
  }, 240_000)

  // Rules: product.md 1, 8, 10, 15, 26; security.md 16
  test('is read, searched, edited, tested and committed with approvals, and not pushed without', async () => {
    const started = await ada.post('/v1/runs', { worker: 'developer', input: 'Greet the world' })
    const runId = started.body['id'] as string
    const link = await ada.get(`/v1/runs/${runId}`)
    expect(link.status).toBe(200)
    const proof = newToken()
    const localStorage = [{ name: 'countersign-session', value: proof }]
    const page = await browser.newPage({
      viewport: { width: 1280, height: 900 },
      storageState: { cookies: [], origins: [{ origin: installation.url, localStorage }] },
    })
    page.setDefaultTimeout(60_000)
    const token = (await readFile(join(installation.dataDir, 'run', 'dev-token'), 'utf8')).trim()
    await page.request.post(`${installation.url}/v1/auth/dev-login`, {
      data: { email: 'grace@example.com', token },
      headers: { origin: installation.url, 'x-countersign-session': proof },
    })

    await openRequest(page, runId, 'Edit greet.sh')
    await page.getByText('Hello, world').first().waitFor()
    await page.getByRole('region', { name: 'Call 1 of 2 in this turn' }).waitFor()
    await decide(page, 'Approve as shown', asItIs)
    await openRequest(page, runId, 'Edit README.md')
    await decide(page, 'Approve as shown', asItIs)

    await openRequest(page, runId, 'Run sh test.sh')
    await page.getByText('test.sh').first().waitFor()
    await decide(page, 'Approve as shown', async () => {
      await page.getByLabel('Scope', { exact: true }).selectOption('run')
      const covers = page.getByRole('status', { name: 'What this approval covers' })
      await covers.getByText(/Only while these files are as now: test\.sh\b/).waitFor()
    })

    await openRequest(page, runId, 'git commit')
    expect(await git('log', '--oneline')).not.toContain('Greet the world')
    await decide(page, 'Approve as shown', asItIs)

    await openRequest(page, runId, 'git push')
    await decide(page, 'Deny', () => page.getByLabel('Reason').fill('A person pushes.'))
    await waitUntil(async () => {
      const { body } = await ada.get(`/v1/runs/${runId}`)
      return body['state'] === 'completed' || String(body['state'])
    })

    expect(await readFile(join(installation.folder, 'greet.sh'), 'utf8')).toContain('Hello, world')
    expect(await git('log', '--format=%s')).toBe('Greet the world\nBegin\n')
    expect(await git('status', '--porcelain', '--untracked-files=no')).toBe('')
    expect(await git('--git-dir', 'upstream', 'branch', '--list')).toBe('')
    const { body } = await ada.get(`/v1/runs/${runId}/transcript`)
    const calls = (
      body['items'] as {
        calls?: { verdict: string; result: { type: string; output?: unknown } }[]
      }[]
    ).flatMap((item) => item.calls ?? [])
    expect(calls.map(({ verdict, result }) => `${verdict} ${result.type}`)).toEqual([
      'preApproved output',
      'preApproved output',
      'preApproved output',
      'ask output',
      'ask output',
      'ask output',
      'preApproved output',
      'ask output',
      'ask denied',
    ])
    expect(calls[5]?.result.output).toMatchObject({ exitCode: 0, stdout: '1 passed\n' })
    const grants = await ada.get(`/v1/runs/${runId}/grants`)
    expect(grants.body['items']).toMatchObject([{ tool: 'exec', scope: 'run', uses: 1 }])
  }, 360_000)
})
