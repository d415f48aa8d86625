import { errorMessage } from '#domain/error-message.ts'
import { errorCode } from '#domain/error-code.ts'
import { readFileSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '../environment.ts'

/** Keys and addresses of model providers: only Temporal workers call models. */
const modelVariable =
  /^(?:ANTHROPIC|OPENAI|OPENAI_COMPATIBLE|GOOGLE_GENERATIVE_AI|AZURE|AWS|GOOGLE_VERTEX)_|^GOOGLE_APPLICATION_CREDENTIALS$/

/** Only the API has the private keys (security.md 13). */
const signingVariable = /^COUNTERSIGN_(SIGNING|LOG|PUSH)_KEY(_BEFORE)?$/

/**
 * The process environment over the project's `.env`: the environment wins. Throws for a `.env` that
 * cannot be read, such as a pipe or a terminal.
 */
export function readProjectEnvironment(projectDir: string, environment: Environment): Environment {
  return { ...readEnvFile(join(projectDir, '.env')), ...environment }
}

/** Without variables for Temporal workers only. */
export function withoutModelKeys(environment: Environment): Record<string, string> {
  return keep(environment, (name) => !modelVariable.test(name))
}

/** Without variables for the API only. */
export function withoutSigningKey(environment: Environment): Record<string, string> {
  return keep(environment, (name) => !signingVariable.test(name))
}

/** Without variables of API and Temporal worker, which no program of theirs may have. */
export function withoutSealKey(environment: Environment): Record<string, string> {
  return keep(environment, (name) => name !== 'COUNTERSIGN_SEAL_KEY')
}

/** Without the address of the database's owner: only migrations need it (audit.md, Protection). */
export function withoutOwnerUrl(environment: Environment): Record<string, string> {
  return keep(environment, (name) => name !== 'COUNTERSIGN_MIGRATE_DATABASE_URL')
}

/** The variables that are set. */
export function definedVariables(environment: Environment): Record<string, string> {
  return keep(environment, () => true)
}

function keep(environment: Environment, isKept: (name: string) => boolean): Record<string, string> {
  const remaining: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && isKept(name)) remaining[name] = value
  }
  return remaining
}

function readEnvFile(file: string): Environment {
  try {
    const stats = statSync(file)
    if (stats.isFile()) return parseEnv(readFileSync(file, 'utf8'))
    if (stats.rdev === statSync(devNull).rdev) return {}
    // Each process reads it, and would wait for a writer of its own. It is not opened, because that
    // ends a program that waits to write to a pipe.
    throw new Error(
      'it is not a regular file. Set its variables in the environment that starts Countersign',
    )
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {}
    throw new Error(`${file} cannot be read: ${errorMessage(error)}`, { cause: error })
  }
}
