import type { TargetRules } from '#delivery/webhooks/find-target.ts'
import type { Api } from './api.ts'

/** Which addresses the service may call (security.md 23), by the policy in force. */
export async function targetRules({ ctx, settings }: Api): Promise<TargetRules> {
  const { allow } = (await ctx.policies.inForce()).config.webhooks
  return { allow, isDevelopment: settings.developmentToken !== null }
}
