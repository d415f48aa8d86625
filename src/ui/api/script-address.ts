/** The part of trusted types that is used, which the library of the DOM does not have yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: () => string },
  ): { createScriptURL(input: string): unknown }
}

/**
 * The address of a script of ours as the browser takes it. Its policy makes this one address
 * whatever it is given, and neither markup nor scripts; the content policy allows each name once
 * (security.md 19).
 */
export function scriptAddress(policyName: string, address: string): string {
  const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy(policyName, { createScriptURL: () => address })
  // What the policy makes is no string for the type, and the only thing that the browser takes.
  return (policy?.createScriptURL('') ?? address) as string
}
