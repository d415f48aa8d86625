import { join } from 'node:path'
import { version } from '#runtime/version.ts'
import { agentSettings, type HookLine } from './settings/agent-settings.ts'
import { writeSettings } from './install-hook.ts'

/**
 * Writes a plugin of Claude Code into a folder: the hook, and the permission tool as an MCP server.
 * Nothing in it names a machine; the key is in the environment, and without `url` the address too.
 * Returns the plugin's folder.
 */
export async function writePlugin(
  folder: string,
  hook: HookLine,
  url: string | undefined,
): Promise<string> {
  const plugin = join(folder, 'countersign-plugin')
  const entries = Object.entries(agentSettings['claude-code'].entries(hook))
  const hooks = Object.fromEntries(entries.map(([event, entry]) => [event, [entry]]))
  await writeSettings(join(plugin, '.claude-plugin', 'plugin.json'), {
    name: 'countersign',
    version,
    description: 'Tool calls wait until a different person has approved exactly what will run',
  })
  await writeSettings(join(plugin, 'hooks', 'hooks.json'), { hooks })
  await writeSettings(join(plugin, '.mcp.json'), {
    mcpServers: {
      countersign: {
        command: 'countersign',
        args: url === undefined ? ['mcp'] : ['mcp', '--url', url],
      },
    },
  })
  return plugin
}
