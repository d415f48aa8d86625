import { createHash } from 'node:crypto'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWithGo, findGo } from '#runtime/embedded/build-with-go.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { isProgram } from '#runtime/files.ts'
import { cacheFolder } from '#runtime/folders.ts'

const goModule = fileURLToPath(new URL('../../../tools/helm', import.meta.url))

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
  if (await isProgram(path)) return path
  const staging = `${path}.${process.pid}`
  await buildWithGo({ name, programPackage, path: staging, goModule }, console.log)
  await rename(staging, path)
  return path
}
