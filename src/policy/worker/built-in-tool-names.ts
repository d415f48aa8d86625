/** The built-in tools (workers-and-policy.md), those that are not available yet included. */
export const fileToolNames: readonly string[] = [
  'read_file',
  'list_files',
  'search_files',
  'write_file',
  'edit_file',
  'delete_file',
  'move_file',
]

export const builtInToolNames: readonly string[] = [
  ...fileToolNames,
  'exec',
  'shell',
  'call_worker',
  'create_worker',
  'ask_person',
]
