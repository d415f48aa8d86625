import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, constants, mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findGo } from '#runtime/embedded/build-with-go.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { cacheFolder } from '#runtime/folders.ts'

const run = promisify(execFile)
const goModule = fileURLToPath(new URL('../../tools/helm', import.meta.url))

/** Programs of `tools/helm`: Helm itself, and a strict reader of Kubernetes' objects. */
export interface HelmTools {
  readonly helm: string
  readonly decode: string
}

/**
 * Builds the programs of `tools/helm` with Go, the first time in a minute or two, and keeps them in
 * the cache. Throws a sentence when there is no Go.
 */
export async function buildHelmTools(): Promise<HelmTools> {
  if ((await findGo()) === null) {
    throw new Error(
      'The chart is tested with Helm, which is built with Go: install Go 1.26 or newer (https://go.dev/dl) and put it on the PATH',
    )
  }
  return {
    helm: await build('helm', 'helm.sh/helm/v3/cmd/helm'),
    decode: await build('decode', './decode'),
  }
}

async function build(name: string, programPackage: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['go.sum', 'decode/main.go']) hash.update(await readFile(join(goModule, file)))
  const cache = cacheFolder(processEnvironment())
  await mkdir(cache, { recursive: true })
  const path = join(cache, `${name}-${hash.digest('hex').slice(0, 12)}`)
  const staging = `${path}.${process.pid}`
  const isThere = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
  if (isThere) return path
  const environment = { ...processEnvironment(), CGO_ENABLED: '0' }
  await run('go', ['build', '-mod=readonly', '-buildvcs=false', '-o', staging, programPackage], {
    cwd: goModule,
    env: environment,
    maxBuffer: 16 * 1024 * 1024,
  })
  await rename(staging, path)
  return path
}
