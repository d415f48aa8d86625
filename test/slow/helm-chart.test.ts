import { spawn, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { findFreePort } from '#runtime/processes/free-port.ts'
import { buildHelmTools, type HelmTools } from '../harness/programs/helm.ts'
import { createEmptyDatabase, type TestDatabase } from '../harness/postgres.ts'
import { useOwnNamespace, type TestTemporal } from '../harness/temporal.ts'
import { waitUntil } from '../harness/wait-until.ts'

const root = join(import.meta.dirname, '..', '..')
const chart = join(root, 'deploy', 'helm', 'countersign')
const needed = [
  'publicUrl=https://approvals.example.com',
  'temporal.address=temporal:7233',
  'project.claim=project',
]
const everything = [
  ...needed,
  'ingress.enabled=true',
  'ingress.tlsSecret=certificate',
  'ingress.className=nginx',
  'metrics.podMonitor=true',
  'temporal.tls=true',
  'temporal.uiUrl=https://temporal.example.com',
  'temporalWorker.nestedSandbox.enabled=true',
  'temporalWorker.replicas=2',
  'temporalWorker.storage.claim=workers',
  'api.storage.class=fast',
  'api.nodeSelector.pool=api',
  'api.tolerations[0].key=api',
]

interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: { readonly key: string; readonly optional?: true } }
}
interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly env: readonly Variable[]
}
interface Kubernetes {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: { readonly template: { readonly spec: { readonly containers: Container[] } } }
}

let tools: HelmTools
beforeAll(async () => {
  tools = await buildHelmTools()
}, 900_000)

test('Helm finds nothing to say about the chart, and Kubernetes knows every field of it', async () => {
  const linted = await say(tools.helm, ['lint', '--strict', chart, ...set(needed)])
  expect(linted).toContain('0 chart(s) failed')
  const kinds = await say(tools.decode, [], await render(everything))
  const kindsOf = kinds.split('\n').map((line) => line.split(' ')[0])
  expect(kindsOf).toEqual(
    `NetworkPolicy NetworkPolicy PodDisruptionBudget Service Service Service StatefulSet
     StatefulSet Ingress not not Job`.split(/\s+/),
  )
  const misspelled = (await render(needed)).replace('serviceName:', 'servicename:')
  await expect(say(tools.decode, [], misspelled)).rejects.toThrow('unknown field')
})

test.each([
  ['without an address of Temporal', [needed[0], needed[2]], 'set temporal.address'],
  ['without the public address', needed.slice(1), 'set publicUrl'],
  ['without a claim for the project', needed.slice(0, 2), 'set project.claim'],
  [
    'with Temporal workers that share no data folder',
    [...needed, 'temporalWorker.replicas=2'],
    'set temporalWorker.storage.claim',
  ],
  ['with a misspelled value', [...needed, 'temporal.adress=x:1'], 'adress'],
  ['with a public address without TLS', [...needed, 'publicUrl=http://x'], 'publicUrl'],
])('an installation %s is refused with a sentence', async (_title, values, sentence) => {
  await expect(render(values.map(String))).rejects.toThrow(sentence)
})

test('each process gets the secrets it needs and no other, and README.md names them all', async () => {
  const secrets = (container: Container): string[] =>
    container.env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.key ?? []).toSorted()
  const { api, worker, migrate } = containersOf(await render(needed))
  const shared = ['COUNTERSIGN_PUBLIC_KEYS', 'COUNTERSIGN_SEAL_KEY', 'DATABASE_URL']
  expect(secrets(worker)).toEqual([...shared, 'TEMPORAL_API_KEY'])
  expect(secrets(api)).toEqual(
    ['SIGNING', 'LOG', 'PUSH']
      .map((name) => `COUNTERSIGN_${name}_KEY`)
      .concat(shared, 'TEMPORAL_API_KEY')
      .toSorted(),
  )
  expect(secrets(migrate)).toEqual(['COUNTERSIGN_MIGRATE_DATABASE_URL', 'DATABASE_URL'])
  const readme = await readFile(join(chart, 'README.md'), 'utf8')
  for (const name of [api, worker, migrate].flatMap(secrets))
    expect(readme).toContain(`\`${name}\``)
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  for (const { image } of [api, worker, migrate]) expect(image).toBe(`countersign:${version}`)
})

test('the processes start by the commands and the variables of the chart', async () => {
  await using installation = await prepareInstallation()
  const { api, worker, migrate } = containersOf(
    await render([...needed, `temporal.address=${installation.temporal.address}`]),
  )
  const migrated = installation.start(migrate)
  expect(await new Promise((resolve) => migrated.once('exit', resolve))).toBe(0)
  const [port, apiMetrics, workerMetrics] = [
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
  ]
  installation.start(api, { PORT: `${port}`, COUNTERSIGN_METRICS: `127.0.0.1:${apiMetrics}` })
  installation.start(worker, { COUNTERSIGN_WORKER_METRICS: `127.0.0.1:${workerMetrics}` })
  await untilOk(`http://127.0.0.1:${port}/healthz`)
  await untilOk(`http://127.0.0.1:${port}/readyz`)
  await untilOk(`http://127.0.0.1:${apiMetrics}/metrics`)
  await untilOk(`http://127.0.0.1:${workerMetrics}/metrics`)
  await untilOk(`http://127.0.0.1:${workerMetrics}/readyz`)
})

async function untilOk(url: string): Promise<void> {
  const isOk = async (): Promise<boolean | string> => {
    try {
      const answer = await fetch(url)
      return answer.ok || (await answer.text())
    } catch (error) {
      return String(error)
    }
  }
  await waitUntil(isOk, { withinMs: 120_000, everyMs: 200 })
}

/** Servers, folders and a Secret as README.md of the chart has one made. */
async function prepareInstallation() {
  const database: TestDatabase = await createEmptyDatabase()
  const temporal: TestTemporal = await useOwnNamespace()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chart-'))
  await cp(join(root, 'examples', 'quickstart'), join(folder, 'project'), { recursive: true })
  await mkdir(join(folder, 'data'))
  const application = new URL(database.url)
  application.username = `app_${randomBytes(4).toString('hex')}`
  application.password = randomBytes(8).toString('hex')
  const signing = generateKeyPairSync('ed25519')
  const secret: Record<string, string> = {
    DATABASE_URL: application.href,
    COUNTERSIGN_MIGRATE_DATABASE_URL: database.url,
    COUNTERSIGN_SIGNING_KEY: pem(signing.privateKey),
    COUNTERSIGN_PUBLIC_KEYS: signing.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    COUNTERSIGN_LOG_KEY: pem(generateKeyPairSync('ed25519').privateKey),
    COUNTERSIGN_PUSH_KEY: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    COUNTERSIGN_SEAL_KEY: randomBytes(32).toString('base64'),
  }
  const started: ChildProcess[] = []
  return {
    temporal,
    start(container: Container, instead: Record<string, string> = {}): ChildProcess {
      const variables = container.env.map(({ name, value, valueFrom }) => [
        name,
        value ?? secret[valueFrom?.secretKeyRef.key ?? ''] ?? '',
      ])
      const child = spawn(
        join(root, 'bin', 'countersign'),
        container.args.map((word) => (word.startsWith('/') ? join(folder, word) : word)),
        {
          env: {
            PATH: process.env['PATH'],
            HOME: folder,
            ...Object.fromEntries(variables),
            TEMPORAL_NAMESPACE: temporal.namespace,
            COUNTERSIGN_CACHE: join(folder, 'cache'),
            ...instead,
          },
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      )
      started.push(child)
      return child
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(
        started.map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return
          const ended = new Promise((resolve) => child.once('exit', resolve))
          child.kill('SIGTERM')
          await ended
        }),
      )
      await rm(folder, { recursive: true, force: true })
      await database[Symbol.asyncDispose]()
    },
  }
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function set(values: readonly string[]): string[] {
  return values.flatMap((value) => ['--set', value])
}

function render(values: readonly string[]): Promise<string> {
  const version = ['--kube-version', '1.33.0']
  return say(tools.helm, ['template', 'demo', chart, ...version, ...set(values)])
}

function containersOf(rendered: string): Record<'api' | 'worker' | 'migrate', Container> {
  const objects = parseAllDocuments(rendered).map((document) => document.toJS() as Kubernetes)
  const containerOf = (name: string): Container => {
    const object = objects.find(
      ({ kind, metadata }) => ['StatefulSet', 'Job'].includes(kind) && metadata.name === name,
    )
    const container = object?.spec.template.spec.containers[0]
    if (container === undefined) throw new Error(`the chart has no ${name}`)
    return container
  }
  return {
    api: containerOf('demo-api'),
    worker: containerOf('demo-temporal-worker'),
    migrate: containerOf('demo-migrate'),
  }
}

/** What a program prints; rejects with its errors. */
async function say(program: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  child.stdin.end(input)
  if ((await ended) !== 0) throw new Error(errors)
  return output.trim()
}
