using System;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;

namespace Citewire
{
    /// <summary>Starts the program that the package has for this system.</summary>
    internal static class Program
    {
        /// <summary>rwxr-xr-x, which archives of NuGet do not keep.</summary>
        private const uint MayBeRun = 0b111_101_101;

        private static int Main(string[] arguments)
        {
            bool isWindows = RuntimeInformation.IsOSPlatform(OSPlatform.Windows);
            string system = isWindows ? "win" : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? "osx" : "linux";
            string runtime = $"{system}-{RuntimeInformation.OSArchitecture.ToString().ToLowerInvariant()}";
            string name = isWindows ? "citewire.exe" : "citewire";
            string file = Path.Combine(AppContext.BaseDirectory, "runtimes", runtime, "native", name);
            if (!File.Exists(file))
            {
                Console.Error.WriteLine($"citewire: the package has no program for {runtime}");
                return 2;
            }
            return isWindows ? Run(file, arguments) : Become(file, arguments);
        }

        /// <summary>Runs the program, and waits for it. The console tells both of Ctrl+C, which only the program obeys.</summary>
        private static int Run(string file, string[] arguments)
        {
            Console.CancelKeyPress += (_, press) => press.Cancel = true;
            var start = new ProcessStartInfo(file) { UseShellExecute = false };
            foreach (string argument in arguments) start.ArgumentList.Add(argument);
            using Process program = Process.Start(start);
            program.WaitForExit();
            return program.ExitCode;
        }

        /// <summary>Puts the program in the place of this one, so that signals reach it.</summary>
        private static int Become(string file, string[] arguments)
        {
            chmod(file, MayBeRun);
            var all = new IntPtr[arguments.Length + 2];
            all[0] = Marshal.StringToCoTaskMemUTF8(file);
            for (int at = 0; at < arguments.Length; at++) all[at + 1] = Marshal.StringToCoTaskMemUTF8(arguments[at]);
            execv(all[0], all);
            Console.Error.WriteLine($"citewire: {file} cannot be started: {new Win32Exception(Marshal.GetLastWin32Error()).Message}");
            return 2;
        }

        [DllImport("libc", SetLastError = true)]
        private static extern int execv(IntPtr file, IntPtr[] arguments);

        [DllImport("libc", SetLastError = true)]
        private static extern int chmod([MarshalAs(UnmanagedType.LPUTF8Str)] string file, uint mode);
    }
}
