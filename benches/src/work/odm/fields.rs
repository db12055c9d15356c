//! The fields of the flat models, handed to a macro that declares a struct with them. A program
//! outside of this package includes the file too.

/// Hands the fields of the small flat document to a macro.
macro_rules! with_small_fields {
    ($then:ident! { $($head:tt)* }) => {
        $then! {
            $($head)*
            strings { field1 field2 field3 field4 field5 field6 field7 }
            numbers { field8 field9 field10 field11 field12 field13 }
        }
    };
}

/// Hands the fields of the large flat document to a macro.
#[rustfmt::skip]
macro_rules! with_large_fields {
    ($then:ident! { $($head:tt)* }) => {
        $then! {
            $($head)*
            strings {
                field1 field2 field3 field4 field5 field6 field7 field8 field9 field10 field11 field12
                field13 field14 field15 field16 field17 field18 field19 field20 field21 field22 field23
                field24 field25 field26 field27 field28 field29 field30 field31 field32 field33 field34
                field35 field36 field37 field38 field39 field40 field41 field42 field43 field44 field45
                field46 field47 field48 field49 field50 field51 field52 field53 field54 field55 field56
                field57 field58 field59 field60 field61 field62 field63 field64 field65 field66 field67
                field68 field69 field70 field71 field72 field73 field74 field75 field76 field77 field78
                field79 field80 field81 field82 field83 field84 field85 field86 field87 field88 field89
                field90 field91 field92 field93 field94 field95 field96 field97 field98 field99 field100
                field101 field102 field103 field104 field105 field106 field107 field108 field109 field110
                field111 field112 field113 field114 field115 field116 field117 field118 field119 field120
                field121 field122 field123 field124 field125
            }
            numbers {
                field126 field127 field128 field129 field130 field131 field132 field133 field134 field135
                field136 field137 field138 field139 field140 field141 field142 field143 field144 field145
                field146 field147 field148 field149 field150 field151 field152 field153 field154 field155
                field156 field157 field158 field159 field160 field161 field162 field163 field164 field165
                field166 field167 field168 field169 field170 field171 field172 field173 field174 field175
                field176 field177 field178 field179 field180 field181 field182 field183 field184 field185
                field186 field187 field188 field189 field190 field191 field192 field193 field194 field195
                field196 field197 field198 field199 field200 field201 field202 field203 field204 field205
                field206 field207 field208 field209 field210 field211 field212 field213 field214 field215
                field216 field217 field218 field219 field220 field221 field222 field223 field224 field225
                field226 field227 field228 field229 field230 field231 field232 field233 field234 field235
                field236 field237 field238 field239 field240 field241 field242 field243 field244 field245
                field246 field247 field248 field249 field250
            }
        }
    };
}

/// Hands the fields of an embedded document to a macro, strings or numbers.
macro_rules! with_embedded_fields {
    ($then:ident! { $($head:tt)* }) => {
        $then! {
            $($head)*
            field1 field2 field3 field4 field5 field6 field7 field8 field9 field10 field11 field12
            field13 field14 field15
        }
    };
}
