import { accessSync, constants } from 'node:fs'
import type { ConnectionOptions } from '@temporalio/client'
import { loadClientConnectConfig } from '@temporalio/envconfig'
import { errorMessage } from '#domain/error-message.ts'
import { readText, type Environment } from '../environment.ts'

/** The connection settings for Temporal, as `Connection` and `NativeConnection` take them. */
export interface TemporalSecurity {
  /** `true`: the system's authorities; with a certificate the client names itself */
  readonly tls: Exclude<ConnectionOptions['tls'], null | undefined>
  readonly apiKey?: string
  /** gRPC metadata that goes with every call */
  readonly metadata?: NonNullable<ConnectionOptions['metadata']>
}

export interface TemporalConfig extends TemporalSecurity {
  /** `HOST:PORT` */
  readonly address: string
  readonly namespace: string
}

/** Each names a server other than the embedded one. */
const naming = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'] as const

/**
 * The variable that names a Temporal server of one's own, or `null`: the embedded one is used. A
 * profile file in the home folder alone does not count, so that the configuration of a developer's
 * command line does not move an installation to another server.
 */
export function temporalNamedBy(environment: Environment): (typeof naming)[number] | null {
  return naming.find((name) => readText(environment, name) !== undefined) ?? null
}

/**
 * The connection to Temporal, by the SDK's environment configuration: the variables `TEMPORAL_*`,
 * and the profile of a file when `TEMPORAL_PROFILE` or `TEMPORAL_CONFIG_FILE` is set. Variables
 * override the profile. Certificate files are read here. Throws a sentence about the problem.
 */
export function readTemporalConfig(environment: Environment): TemporalConfig {
  const { namespace, connectionOptions } = load(environment)
  const { address, apiKey, metadata, tls } = connectionOptions
  if (address === undefined || !/^[^/\s]+:\d+$/.test(address)) {
    throw new Error('The environment is not valid: TEMPORAL_ADDRESS: must be HOST:PORT')
  }
  return {
    address,
    namespace: namespace ?? 'default',
    tls: tls ?? false,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

function load(environment: Environment): ReturnType<typeof loadClientConnectConfig> {
  const variables = Object.fromEntries(
    Object.keys(environment).flatMap((name) => {
      const text = readText(environment, name)
      return text === undefined ? [] : [[name, text]]
    }),
  )
  const pair = ['TEMPORAL_TLS_CLIENT_CERT', 'TEMPORAL_TLS_CLIENT_KEY'].map((name) =>
    [`${name}_PATH`, `${name}_DATA`].some((variable) => variables[variable] !== undefined),
  )
  const file = variables['TEMPORAL_CONFIG_FILE']
  try {
    if (pair[0] !== pair[1])
      throw new Error(
        'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH belong together: set both',
      )
    // The SDK treats a missing file as empty.
    if (file !== undefined) accessSync(file, constants.R_OK)
    return loadClientConnectConfig({
      overrideEnvVars: variables,
      configFileStrict: true,
      disableFile: file === undefined && variables['TEMPORAL_PROFILE'] === undefined,
    })
  } catch (error) {
    const why = errorMessage(error)
    throw new Error(`The configuration of Temporal cannot be read: ${why}`, { cause: error })
  }
}
