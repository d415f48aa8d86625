import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InstalledPrograms } from '../runtimes/runtimes.ts'
import type { AgentWorld, ProgramEnd } from './agent-world.ts'

const programs = new InstalledPrograms('claude-code', { '@anthropic-ai/claude-code': '2.1.332' })
const claude = programs.file('@anthropic-ai/claude-code/bin/claude.exe')
const countersign = fileURLToPath(new URL('../../../bin/countersign', import.meta.url))

/** A session at a terminal. */
export interface PromptSession {
  readonly stop: () => Promise<ProgramEnd>
}

/** Sessions of the real Claude Code in the project of an agent's world. */
export class ClaudeCodeSessions {
  readonly program = claude
  readonly #agent: AgentWorld

  constructor(agent: AgentWorld) {
    this.#agent = agent
  }

  static install(): Promise<void> {
    return programs.install()
  }

  get env(): Record<string, string> {
    return {
      ANTHROPIC_API_KEY: 'sk-local',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      ANTHROPIC_BASE_URL: this.#agent.model.url,
    }
  }

  /** A session in print mode, to its end. */
  print(...args: string[]): Promise<ProgramEnd> {
    const words = ['-p', 'do it', '--output-format', 'json', ...args]
    return this.#agent.run(claude, words, this.env)
  }

  /** A session at a terminal in a folder that its person trusts. */
  async prompt(
    args: readonly string[],
    more: Readonly<Record<string, string>>,
  ): Promise<PromptSession> {
    const { project } = this.#agent
    const trusted = { [project.folder]: { hasTrustDialogAccepted: true } }
    const onboarding = { hasCompletedOnboarding: true, projects: trusted }
    const keys = { customApiKeyResponses: { approved: ['sk-local'], rejected: [] } }
    await mkdir(join(project.folder, 'home'), { recursive: true })
    await project.write('home/.claude.json', JSON.stringify({ ...onboarding, ...keys }))
    const command = [claude, 'do it', ...args].map((word) => `'${word}'`).join(' ')
    const words = ['-qefc', `stty rows 40 cols 120; exec timeout 120 ${command}`, '/dev/null']
    const env = { ...this.env, TERM: 'xterm', ...more }
    const stopping = new AbortController()
    const end = this.#agent.run('script', words, env, stopping.signal)
    return {
      stop: () => {
        stopping.abort()
        return end
      },
    }
  }

  /**
   * Without the hook: writes the file that leads to the gateway, as the service is found at this
   * moment. Returns the words for a session that may call its tools.
   */
  async gateway(): Promise<readonly string[]> {
    const headers = { Authorization: 'Bearer ${COUNTERSIGN_API_KEY}' }
    const url = `${this.#agent.world.installation.url}/mcp/notes`
    const config = await this.#servers({ notes: { type: 'http', url, headers } })
    const allowed = ['mcp__notes__note', 'mcp__notes__countersign_wait']
    return ['--mcp-config', config, '--allowedTools', ...allowed]
  }

  /** The same for the permission tool, which holds a call for so many seconds. */
  async permissionTool(wait: string): Promise<readonly string[]> {
    const env = { ...this.#agent.env, COUNTERSIGN_URL: this.#agent.world.installation.url }
    const args = [countersign, 'mcp', '--wait', wait]
    const server = { command: process.execPath, args, env }
    const config = await this.#servers({ countersign: server })
    return ['--mcp-config', config, '--permission-prompt-tool', 'mcp__countersign__approve']
  }

  async #servers(mcpServers: object): Promise<string> {
    const { project } = this.#agent
    await rm(join(project.folder, '.claude'), { recursive: true, force: true })
    return project.write('mcp.json', JSON.stringify({ mcpServers }))
  }
}
