/** Paths of the system that every command may use (contract 6.2, O-32). Nothing here is writable but devices. */

/** Programs and libraries. */
export const SYSTEM_ROOTS = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/etc/alternatives",
  "/usr/local/sdkman/candidates",
  "/nix/store",
] as const;

/** Configuration that programs need to start; none of it holds a secret. */
export const SYSTEM_FILES = [
  // Certificates to trust; of /etc/ssl only these, because /etc/ssl/private holds keys.
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates",
  "/etc/ca-certificates.conf",
  "/etc/pki/tls/certs",
  "/etc/pki/tls/cert.pem",
  "/etc/pki/tls/openssl.cnf",
  "/etc/pki/ca-trust",
  "/etc/crypto-policies",
  // Names of users, groups, hosts and services.
  "/etc/passwd",
  "/etc/group",
  "/etc/nsswitch.conf",
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/gai.conf",
  "/etc/protocols",
  "/etc/services",
  "/run/systemd/resolve",
  "/run/resolvconf",
  // The dynamic loader.
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/ld.so.preload",
  // What the system is.
  "/etc/debian_version",
  "/etc/os-release",
  "/etc/lsb-release",
  "/etc/localtime",
  "/etc/timezone",
  // Programs' own settings.
  "/etc/npmrc",
  "/etc/gitconfig",
  "/etc/gitconfig.d",
  "/etc/gitattributes",
  "/etc/fonts",
  "/etc/terminfo",
  "/etc/inputrc",
  "/etc/profile",
  "/etc/profile.d",
  "/etc/bash.bashrc",
  "/etc/manpath.config",
  "/etc/mime.types",
  "/etc/magic",
  "/etc/perl",
] as const;

/** Settings of Java installations: `/etc/java-17-openjdk` and the like. */
export const SYSTEM_FILE_PREFIXES = [{ directory: "/etc", prefix: "java-" }] as const;

/** Facts about processes and the machine. The kernel itself refuses what belongs to processes outside the domain (O-32). */
export const READABLE_FACTS = [
  "/proc",
  "/sys/devices/system/cpu",
  "/sys/devices/system/node",
  "/sys/fs/cgroup",
] as const;

/** Harmless devices and shared memory, read and written. */
export const DEVICES = [
  "/dev/null",
  "/dev/zero",
  "/dev/full",
  "/dev/random",
  "/dev/urandom",
  "/dev/tty",
  "/dev/ptmx",
  "/dev/pts",
] as const;

/** Directory of POSIX shared memory and semaphores (shm_overview(7)), where programs create and remove files. */
export const SHARED_MEMORY = "/dev/shm";
