import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { processEnvironment } from '../environment.ts'

const run = promisify(execFile)
const temporalModule = fileURLToPath(new URL('../../../tools/temporal', import.meta.url))
const reportIntervalMs = 5_000

/** The version of the Go toolchain on the PATH, or `null`. */
export async function findGo(): Promise<string | null> {
  return run('go', ['version']).then(
    ({ stdout }) => /go(\d+\.\d+(\.\d+)?)/.exec(stdout)?.[1] ?? null,
    () => null,
  )
}

/**
 * Builds a program of a pinned Go module to `path`, and reports the current package every five
 * seconds. The first build takes minutes; Go caches the result. `goModule` is the folder of the
 * module; absent: `tools/temporal`. Throws one sentence with the last lines of Go's output.
 */
export async function buildWithGo(
  {
    name,
    programPackage,
    path,
    goModule = temporalModule,
  }: { name: string; programPackage: string; path: string; goModule?: string },
  log: (sentence: string) => void,
): Promise<void> {
  const startedAt = performance.now()
  const build = spawn('go', ['build', '-v', '-ldflags', '-s -w', '-o', path, programPackage], {
    cwd: goModule,
    env: { ...processEnvironment(), CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const recent: string[] = []
  let [downloads, packages] = [0, 0]
  createInterface({ input: build.stderr }).on('line', (line) => {
    recent.push(line)
    if (recent.length > 8) recent.shift()
    if (line.startsWith('go: downloading')) downloads += 1
    else packages += 1
  })
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const step = describeStep(downloads, packages, recent.at(-1))
    log(`building ${name}: ${seconds} s, ${step}`)
  }, reportIntervalMs)
  const code = await new Promise<number | null>((resolve, reject) => {
    build.once('error', reject)
    build.once('close', resolve)
  }).finally(() => clearInterval(timer))
  if (code !== 0) throw new Error(`go build of ${programPackage} failed: ${recent.join(' / ')}`)
}

function describeStep(downloads: number, packages: number, last: string | undefined): string {
  if (packages > 0) return `${packages} packages compiled, now ${last}`
  return downloads > 0 ? `${downloads} modules fetched` : 'looking at what must be compiled'
}
