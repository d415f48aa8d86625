import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder } from '../../cache-folder.ts'
import { findGo } from '../../embedded/build-with-go.ts'
import { TEMPORAL_CLI_VERSION } from '../../embedded/temporal-version.ts'
import { readText } from '../../environment.ts'
import type { Check } from '../check.ts'

/** The next start will find Temporal, or can get it. */
export const checkTemporalBinary: Check = async ({ environment }) => {
  if (readText(environment, 'TEMPORAL_ADDRESS') !== undefined) return []
  const cached = join(
    cacheFolder(environment),
    `temporal-${TEMPORAL_CLI_VERSION}-${process.platform}-${process.arch}`,
  )
  const isCached = await access(cached, 1).then(
    () => true,
    () => false,
  )
  if (isCached)
    return [{ check: 'temporal-binary', state: 'ok', found: `${cached} is in the cache` }]
  const go = await findGo()
  return [
    go === null
      ? {
          check: 'temporal-binary',
          state: 'warning',
          found: 'Temporal is not in the cache, and there is no Go toolchain to build it with',
          remedy:
            'the next start tries to download it; without that, install the "temporal" command or Go 1.26',
        }
      : {
          check: 'temporal-binary',
          state: 'ok',
          found: `Temporal is not in the cache; the next start downloads it, or builds it with Go ${go} in about four minutes`,
        },
  ]
}
