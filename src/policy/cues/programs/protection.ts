import type { CommandOfText } from './commands-of.ts'
import { hasLetter, hasOption, operandsOf, type CueMatch, type CueFinder } from './command-words.ts'

/** Commands that switch off what protects. */
export const protectionHits: CueFinder = (command) => {
  const what = whatIsOff(command) ?? assignmentOff(command.source)
  return what === null ? [] : [['protection_off', what] satisfies CueMatch]
}

function whatIsOff(command: CommandOfText): string | null {
  const { program, args } = command
  const operands = operandsOf(command)
  const [first = '', second = ''] = operands
  if (program === 'git') return gitOff(operands, args)
  if (program === 'chmod' && opensFiles(args)) return 'Lets everybody change files'
  if (program === 'curl' && (hasOption(args, '--insecure') || hasLetter(args, 'k'))) return noTls
  if (program === 'wget' && hasOption(args, '--no-check-certificate')) return noTls
  if (/^(?:ssh|scp|sftp|rsync)$/.test(program)) {
    return args.some((word) => /StrictHostKeyChecking=(?:no|off)/i.test(word))
      ? 'Does not check which host answers'
      : null
  }
  if (program === 'setenforce' && (first === '0' || /^permissive$/i.test(first)))
    return 'Switches SELinux off'
  if (program === 'ufw' && (first === 'disable' || first === 'reset'))
    return 'Switches the firewall off'
  if (/^ip6?tables$/.test(program) && hasOption(args, '-F', '--flush', '-X'))
    return 'Empties the firewall'
  if (program === 'systemctl' && /^(?:stop|disable|mask)$/.test(first)) {
    return /firewall|ufw|apparmor|auditd|fail2ban|falco|clamav/.test(second)
      ? 'Stops a service that protects'
      : null
  }
  if (program === 'spctl' || program === 'csrutil') {
    return hasOption(args, '--master-disable') || first === 'disable'
      ? 'Switches a system protection off'
      : null
  }
  if (
    program === 'npm' &&
    args.some((word) => /^(?:--)?strict-ssl(?:=false)?$/.test(word)) &&
    args.some((word) => word.endsWith('false'))
  )
    return noTls
  if (program === 'docker' || program === 'podman') {
    return hasOption(args, '--privileged') ||
      args.some((word) => /^(?:--security-opt=)?seccomp=unconfined$/.test(word))
      ? 'Runs a container without its limits'
      : null
  }
  if (program === 'gh') return ghOff(args)
  if (program === 'pip' || program === 'pip3')
    return hasOption(args, '--trusted-host') ? noTls : null
  if (program === 'kubectl' && hasOption(args, '--insecure-skip-tls-verify')) return noTls
  if (hasOption(args, '--no-sandbox', '--disable-web-security', '--allow-unauthenticated')) {
    return 'Runs without a protection'
  }
  if (program === 'auditctl' && hasOption(args, '-e') && args.includes('0'))
    return 'Stops the audit log'
  return hasOption(args, '--no-verify') ? 'Skips checks' : null
}

const noTls = 'Does not check certificates'

function gitOff(operands: readonly string[], args: readonly string[]): string | null {
  const [first = ''] = operands
  if (first === 'push') {
    const forces =
      hasOption(args, '--force', '--force-with-lease', '--mirror') ||
      hasLetter(args, 'f') ||
      operands.some((word) => word.startsWith('+'))
    if (forces) return 'Overwrites the history of others'
  }
  if (hasOption(args, '--no-verify') || (first === 'commit' && hasLetter(args, 'n'))) {
    return 'Skips the checks before a commit or push'
  }
  const settings = args.join(' ').toLowerCase()
  if (settings.includes('sslverify false') || settings.includes('sslverify=false')) return noTls
  return settings.includes('core.hookspath') && first === 'config'
    ? 'Changes which checks Git runs'
    : null
}

function ghOff(args: readonly string[]): string | null {
  if (args.includes('merge') && hasOption(args, '--admin'))
    return 'Merges past the rules of a branch'
  const deletes = args.includes('DELETE') && args.some((word) => word.includes('protection'))
  return deletes ? 'Removes the protection of a branch' : null
}

function opensFiles(args: readonly string[]): boolean {
  return args.some((word) => {
    if (/^0?[0-7]?[0-7][0-7][2367]$/.test(word)) return true
    const [who = '', what = ''] = word.length > 20 ? [] : word.split(/[+=]/)
    return /[ao]/.test(who) && /^[ugoa]*$/.test(who) && what.includes('w')
  })
}

/** The variables that programs read, which are set before a command or in the shell. */
function assignmentOff(source: string): string | null {
  if (/NODE_TLS_REJECT_UNAUTHORIZED=["']?0/.test(source)) return noTls
  if (/GIT_SSL_NO_VERIFY=["']?(?:1|true)/.test(source)) return noTls
  return /PYTHONHTTPSVERIFY=["']?0/.test(source) ? noTls : null
}
