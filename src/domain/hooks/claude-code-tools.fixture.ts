/**
 * Claude Code's own lists of its tools, as it publishes them. To renew: take both from the newest
 * release, and sort what is new by src/domain/hooks/harmless-tools.ts.
 */
export const claudeCodeTools = {
  /**
   * `ToolInputSchemas` of sdk-tools.d.ts in @anthropic-ai/claude-agent-sdk 0.3.332, which is Claude
   * Code 2.1.332
   */
  declared: words(`
    Agent Bash ExitPlanMode FileEdit FileRead FileWrite Glob Grep TaskStop ListMcpResources
    RefreshMcpTools Mcp NotebookEdit ReadMcpResourceDir ReadMcpResource ReportFindings TodoWrite WebFetch
    WebSearch AskUserQuestion SendFeedback ClaudeDesign Projects EnterPlanMode TaskCreate TaskGet TaskUpdate
    TaskList Workflow CronCreate CronDelete CronList ScheduleWakeup RemoteTrigger
    ShowOnboardingRolePicker OfferChromeSetup ReadNotifications Monitor ProposeSkills ProposeGoal Artifact PushNotification EnterWorktree
    ExitWorktree`),
  /** https://code.claude.com/docs/en/tools-reference, as mirrored until 23 November 2026 */
  documented: words(`
    Agent AskUserQuestion Bash CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree ExitPlanMode
    ExitWorktree Glob Grep ListMcpResourcesTool LSP Monitor NotebookEdit PowerShell Read ReadMcpResourceTool
    SendMessage Skill TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete
    TodoWrite ToolSearch WebFetch WebSearch Workflow Write`),
  /** names that earlier releases, or later pages, have */
  others: words(`
    BashOutput Config KillShell LS MultiEdit NotebookRead REPL SendUserFile SlashCommand Task TaskOutput WaitForMcpServers`),
} as const

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
