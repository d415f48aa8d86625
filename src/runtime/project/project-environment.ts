import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '../environment.ts'

/** Keys and addresses of model providers: only Temporal workers call models. */
const MODEL_VARIABLE = /^(ANTHROPIC|OPENAI|OPENAI_COMPATIBLE|GOOGLE_GENERATIVE_AI)_/

/** The private keys are the API's alone (security.md 13). */
const SIGNING_VARIABLE = /^COUNTERSIGN_(SIGNING|LOG)_KEY(_BEFORE)?$/

/** The process' environment over the project's `.env`: what is set from outside wins. */
export function readProjectEnvironment(projectDir: string, environment: Environment): Environment {
  return { ...readEnvFile(join(projectDir, '.env')), ...environment }
}

/** Without what only Temporal workers may have. */
export function withoutModelKeys(environment: Environment): Record<string, string> {
  return keep(environment, (name) => !MODEL_VARIABLE.test(name))
}

/** Without what only the API may have. */
export function withoutSigningKey(environment: Environment): Record<string, string> {
  return keep(environment, (name) => !SIGNING_VARIABLE.test(name))
}

/** Without the address of the database's owner: only migrations need it (audit.md, Protection). */
export function withoutOwnerUrl(environment: Environment): Record<string, string> {
  return keep(environment, (name) => name !== 'COUNTERSIGN_MIGRATE_DATABASE_URL')
}

function keep(environment: Environment, wanted: (name: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && wanted(name)) kept[name] = value
  }
  return kept
}

function readEnvFile(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
