import { z } from 'zod'
import type { Environment } from '../environment.ts'
import { flag, readVariables } from './read-variables.ts'

export interface TemporalConfig {
  readonly address: string
  readonly namespace: string
  /** `true`: the system's authorities; with certificate and key the client names itself. */
  readonly tls:
    | boolean
    | {
        readonly certFile?: string
        readonly keyFile?: string
        readonly caFile?: string
        readonly serverName?: string
      }
  readonly apiKey?: string
}

/** The names of the SDK's environment configuration. */
const variables = z.object({
  TEMPORAL_ADDRESS: z.string().regex(/^[^/\s]+:\d+$/, 'must be HOST:PORT'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_API_KEY: z.string().min(1).optional(),
  TEMPORAL_TLS: flag,
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().min(1).optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().min(1).optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().min(1).optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().min(1).optional(),
})

/** How Temporal is reached. Throws one message that names every variable that is wrong. */
export function readTemporalConfig(environment: Environment): TemporalConfig {
  const values = readVariables(variables, environment)
  return {
    address: values.TEMPORAL_ADDRESS,
    namespace: values.TEMPORAL_NAMESPACE,
    tls: tlsOf(values),
    ...(values.TEMPORAL_API_KEY === undefined ? {} : { apiKey: values.TEMPORAL_API_KEY }),
  }
}

function tlsOf(read: z.output<typeof variables>): TemporalConfig['tls'] {
  const files = Object.entries({
    certFile: read.TEMPORAL_TLS_CLIENT_CERT_PATH,
    keyFile: read.TEMPORAL_TLS_CLIENT_KEY_PATH,
    caFile: read.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
    serverName: read.TEMPORAL_TLS_SERVER_NAME,
  }).filter(([, value]) => value !== undefined)
  if (files.length > 0) return Object.fromEntries(files)
  // As the SDK's environment configuration has it: an API key alone means TLS.
  return read.TEMPORAL_TLS || read.TEMPORAL_API_KEY !== undefined
}
