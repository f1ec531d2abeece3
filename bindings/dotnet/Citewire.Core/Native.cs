using System;
using System.Runtime.InteropServices;

namespace Citewire
{
    /// <summary>The functions of the native library. Their parameters have the same bytes on both sides, so that none is converted.</summary>
    internal static unsafe class Native
    {
        internal const int Nothing = 0;
        internal const int Error = -1;

        private const string Library = "citewire_native";

        /// <summary>Bytes of the library.</summary>
        [StructLayout(LayoutKind.Sequential)]
        internal struct Written
        {
            internal byte* Data;
            internal UIntPtr Length;

            /// <summary>Copies the bytes, and frees those of the library.</summary>
            internal byte[] Take()
            {
                byte[] bytes = new ReadOnlySpan<byte>(Data, checked((int)Length)).ToArray();
                citewire_free(Data, Length);
                Data = null;
                return bytes;
            }
        }

        /// <summary>A stream, which is freed when nothing uses it any more.</summary>
        internal sealed class StreamHandle : SafeHandle
        {
            internal StreamHandle() : base(IntPtr.Zero, ownsHandle: true) { }

            public override bool IsInvalid => handle == IntPtr.Zero;

            protected override bool ReleaseHandle()
            {
                citewire_stream_free(handle);
                return true;
            }
        }

        [DllImport(Library)]
        internal static extern UIntPtr citewire_max_bytes();

        [DllImport(Library)]
        internal static extern int citewire_call(uint number, byte* body, UIntPtr bodyLength, byte* parameters, UIntPtr parametersLength, Written* written);

        [DllImport(Library)]
        internal static extern StreamHandle citewire_stream_begin(byte* parameters, UIntPtr parametersLength, Written* written);

        [DllImport(Library)]
        internal static extern int citewire_stream_push(StreamHandle stream, byte* piece, UIntPtr pieceLength, Written* written);

        [DllImport(Library)]
        internal static extern int citewire_stream_so_far(StreamHandle stream, Written* written);

        [DllImport(Library)]
        internal static extern int citewire_stream_finish(StreamHandle stream, Written* written);

        [DllImport(Library)]
        private static extern void citewire_stream_free(IntPtr stream);

        [DllImport(Library)]
        private static extern void citewire_free(byte* data, UIntPtr length);
    }
}
