import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { askService } from '#test/harness/ask-service.ts'
import type { publishedPackages } from '../../scripts/packages/packages.ts'

const checkout = join(import.meta.dirname, '../..')

/** Runs a program to its end. Rejects with its output when it fails. */
export const runProgram = promisify(execFile)

/** An empty project of somebody else's with our packages installed from their tarballs. */
export interface PackedProject extends AsyncDisposable {
  readonly folder: string
  /** Adds a file and returns its path. */
  write(name: string, content: string): Promise<string>
}

/**
 * Installs packages of ours, by the names of their folders, from their tarballs, without a network;
 * `besides` are packages of this checkout that they need.
 */
export async function openPackedProject(
  names: readonly (typeof publishedPackages)[number][] = ['client'],
  besides: readonly string[] = [],
): Promise<PackedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign packed '))
  const write = async (name: string, content: string): Promise<string> => {
    await writeFile(join(folder, name), content)
    return join(folder, name)
  }
  await write('package.json', '{ "private": true }\n')
  const packed = await askService('packages')
  const files = await readdir(packed)
  const tarballs = names.map((name) => {
    const file = files.find((one) => one.startsWith(`countersign-${name}-`))
    if (file === undefined) throw new Error(`${name} was not packed`)
    return join(packed, file)
  })
  const installed = besides.map((name) => join(checkout, 'node_modules', name))
  const args = ['install', '--offline', '--install-links', '--no-audit', '--no-fund']
  args.push(...tarballs, ...installed)
  await runProgram('npm', args, { cwd: folder })
  return {
    folder,
    write,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Asks a service by all acts of the package and prints the outcome; for any runtime. */
export const actsProgram = `
const client = createClient({ url: process.env.COUNTERSIGN_URL, apiKey: process.env.COUNTERSIGN_API_KEY })
const externalId = process.env.EXTERNAL_ID
const call = { tool: 'release', input: { externalId, text: 'ü\\u2028' }, externalId }
const ran = []
const main = async () => {
  const { id } = await client.ask(call)
  const { state, digest, decidedBy } = await client.decision(id, { wait: 60 })
  const permit = await client.consume(id, digest)
  const again = await client.consume(id, digest).catch((error) => error.code)
  await client.report(id, { state: 'succeeded', summary: 'rolled out' })
  const twice = await client.resume(call, () => ran.push(1)).catch((error) => error.name)
  const denied = await client
    .gate({ ...call, externalId: externalId + '-denied' }, () => ran.push(2))
    .catch((error) => [error instanceof CountersignError, error.name, error.reason])
  console.log(JSON.stringify({ state, decidedBy, isPermit: permit.digest === digest, again, twice, denied, ran }))
}
main()
`

/** What {@link actsProgram} prints once Grace has approved one request and denied the other. */
export const actsOutput = {
  state: 'approved',
  decidedBy: 'Grace',
  isPermit: true,
  again: 'already_consumed',
  twice: 'AlreadyTakenError',
  denied: [true, 'DeniedError', 'looked at it'],
  ran: [],
}
