import { join } from 'node:path'
import { cacheFolder } from '../cache-folder.ts'
import { buildWithGo, findGo } from '../embedded/build-with-go.ts'
import { installOnce } from '../embedded/install-once.ts'
import { TEMPORAL_SERVER_VERSION } from '../embedded/temporal-version.ts'
import type { Environment } from '../environment.ts'

export type TemporalPrograms = { server: string; sqlTool: string }

/**
 * Temporal's production server and its schema tool: from the cache, else built from `tools/temporal`.
 * Throws one sentence when there is no Go toolchain to build them with.
 */
export async function findTemporalPrograms(
  environment: Environment,
  log: (sentence: string) => void,
): Promise<TemporalPrograms> {
  const programs = [
    ['temporal-server', 'go.temporal.io/server/cmd/server'],
    ['temporal-sql-tool', 'go.temporal.io/server/cmd/tools/sql'],
  ] as const
  const paths: string[] = []
  for (const [name, programPackage] of programs) {
    const target = join(
      cacheFolder(environment),
      `${name}-${TEMPORAL_SERVER_VERSION}-${process.platform}-${process.arch}`,
    )
    const make = async (path: string) => {
      if ((await findGo()) === null) {
        throw new Error(
          `${name} is built from tools/temporal, and no Go toolchain is on the PATH: install Go 1.26`,
        )
      }
      log(`building ${name} from source (once; about a minute)`)
      await buildWithGo({ name, programPackage, path }, log)
    }
    paths.push(await installOnce(target, make, log))
  }
  const [server = '', sqlTool = ''] = paths
  return { server, sqlTool }
}
