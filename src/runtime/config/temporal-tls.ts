import { readFile } from 'node:fs/promises'
import type { ConnectionOptions } from '@temporalio/client'
import type { TemporalConfig } from './temporal-config.ts'

type TLSConfig = Exclude<ConnectionOptions['tls'], boolean | null | undefined>

/** What goes with the address. */
export interface TemporalSecurity {
  readonly tls: TLSConfig | boolean
  readonly apiKey?: string
}

/** How client and worker reach Temporal: the configuration with its certificate files read. */
export async function temporalConnection(
  config: TemporalConfig,
): Promise<{ address: string } & TemporalSecurity> {
  const { address, tls, apiKey } = config
  return {
    address,
    tls: typeof tls === 'boolean' ? tls : await readTls(tls),
    ...(apiKey === undefined ? {} : { apiKey }),
  }
}

async function readTls(files: Exclude<TemporalConfig['tls'], boolean>): Promise<TLSConfig> {
  const { certFile, keyFile, caFile, serverName } = files
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new Error(
      'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH belong together: set both',
    )
  }
  return {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(caFile === undefined ? {} : { serverRootCACertificate: await readFile(caFile) }),
    ...(certFile === undefined || keyFile === undefined
      ? {}
      : { clientCertPair: { crt: await readFile(certFile), key: await readFile(keyFile) } }),
  }
}
